#include "mounts.h"

#include <fardel/format/trust_policy.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/inspect.h>

#include <optional>

namespace fardel {

void add_trust_option(CommandLine& line, std::string& policy_path) {
    line.text("--trust", "POLICY", policy_path, "Mount only bundles that this policy trusts (default: any bundle)");
}

Status mount_all(Vfs& vfs, const std::vector<std::string>& files, const std::string& policy_path) {
    std::optional<TrustPolicy> policy;
    if (!policy_path.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(policy_path));
    }
    for (const std::string& file : files) {
        FARDEL_TRY(vfs.mount(
            file,
            {.policy = policy ? &*policy : nullptr, .allow_unsigned = !policy, .archives = make_archive_reader()}));
    }
    return ok();
}

MountLabels labels_of(const Vfs& vfs) {
    MountLabels labels;
    for (const MountDescription& mount : vfs.mounts())
        labels[mount.id] = mount.label;
    return labels;
}

}  // namespace fardel
