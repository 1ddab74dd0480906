// The functions of fardel.h about recalls.

#include "c_handles.h"

#include <fardel/format/c_interface.h>

namespace fardel::c {

void report_recall(const RecalledMount& one, fardel_recalled recalled, void* context) {
    const fardel_recalled_mount out{.struct_size = sizeof out,
                                    .bundle = plain_id(one.bundle),
                                    .label = one.label.c_str(),
                                    .reason = one.reason.message().c_str(),
                                    .mount = static_cast<fardel_mount_id>(one.mount)};
    recalled(context, &out);
}

}  // namespace fardel::c

using namespace fardel;
using namespace fardel::c;

fardel_code fardel_judge_again(fardel_vfs* vfs, const char* policy_text, uint64_t now_s, fardel_recalled recalled,
                               void* context, size_t* count, fardel_error* error) {
    return call(error, vfs != nullptr && policy_text != nullptr, [&](const Report& report) {
        auto policy = TrustPolicy::parse(policy_text);
        if (!policy)
            return report.fail(policy.error());
        return report.end(vfs->vfs.judge_again(*policy, time_of(now_s)), [&](const std::vector<RecalledMount>& found) {
            if (count != nullptr)
                *count = found.size();
            for (const RecalledMount& one : found) {
                if (recalled == nullptr)
                    break;
                report_recall(one, recalled, context);
            }
        });
    });
}
