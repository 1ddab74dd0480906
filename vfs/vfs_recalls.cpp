// The part of Vfs that withdraws what is mounted.
#include "vfs_state.h"

#include <fardel/vfs/vfs.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// Why the policy withdraws a bundle; nullptr: it does not.
Result<std::shared_ptr<const Error>> find_recall(const Mount& mount, const TrustPolicy& policy, const TrustTime& time) {
    std::shared_ptr<const Error> recall;
    if (mount.content.kind != MountKind::bundle)
        return recall;
    FARDEL_TRY_ASSIGN(TrustVerdict verdict, mount.bundle().judge(policy, time));
    // Only withdrawals count: the mount was judged by a policy of its own, and one that does not know its author says
    // nothing about it (docs/decisions/0078-recalled-content-is-refused-where-it-was-found.md).
    if (verdict.refusal && verdict.refusal->code() == ErrorCode::revoked)
        recall = std::make_shared<const Error>((*std::move(verdict.refusal)).with_context(mount.bundle().label()));
    return recall;
}

RecalledMount describe(const Mount& mount, const Error& reason) {
    return {.mount = mount.id, .bundle = mount.bundle().id(), .label = mount.bundle().label(), .reason = reason};
}

}  // namespace

Result<std::vector<RecalledMount>> Vfs::judge_again(const TrustPolicy& policy, const TrustTime& time) {
    std::shared_ptr<const MountSet> old;  // declared before the lock, so that files are closed without it
    std::vector<RecalledMount> recalled;
    std::vector<RecalledMount> news;
    {
        const std::scoped_lock lock(impl_->writing);
        std::vector<std::shared_ptr<const Error>> recalls;
        for (const Mount& mount : impl_->mounted->mounts()) {
            FARDEL_TRY_ASSIGN(auto recall, find_recall(mount, policy, time));
            if (recall)
                recalled.push_back(describe(mount, *recall));
            if (recall && !mount.content.recall)
                news.push_back(recalled.back());
            recalls.push_back(std::move(recall));
        }
        old = impl_->show(impl_->mounted->recalling(recalls));
    }
    // After the lock: the caller's functions may use the Vfs.
    if (impl_->options.log)
        for (const RecalledMount& one : news)
            impl_->options.log(LogLevel::warning, "withdrawn: " + one.reason.message());
    if (impl_->options.on_recall)
        for (const RecalledMount& one : news)
            impl_->options.on_recall(one);
    return recalled;
}

}  // namespace fardel
