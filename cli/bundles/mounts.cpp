#include "mounts.h"

#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kMissingShown = 5;  // per mount

}  // namespace

void add_mounting_options(CommandLine& line, MountingOptions& options) {
    line.text("--trust", "POLICY", options.policy_path,
              "Mount only bundles that this policy trusts (default: any bundle)");
    line.flag("--require-dependencies", options.require_dependencies,
              "Refuse a bundle if a static dependency of it is not among the bundles");
}

Status mount_all(Vfs& vfs, const std::vector<std::string>& files, const MountingOptions& options) {
    std::optional<TrustPolicy> policy;
    if (!options.policy_path.empty()) {
        FARDEL_TRY_ASSIGN(policy, read_trust_policy(options.policy_path));
    }
    MountChange change;
    for (const std::string& file : files)
        change.mount.push_back({.subject = file,
                                .options = {.policy = policy ? &*policy : nullptr,
                                            .allow_unsigned = !policy,
                                            .require_dependencies = options.require_dependencies,
                                            .archives = make_archive_reader()}});
    FARDEL_TRY(vfs.apply(std::move(change)));
    return ok();
}

void say_missing_dependencies(const Vfs& vfs, Console& console) {
    for (const MountDescription& mount : vfs.mounts()) {
        const auto& missing = mount.missing_dependencies;
        if (missing.empty())
            continue;
        std::string list;
        for (std::size_t i = 0; i < std::min(missing.size(), kMissingShown); ++i)
            list += (i == 0 ? "" : ", ") + missing[i].hex();
        if (missing.size() > kMissingShown)
            list += fmt::format(" and {} more", missing.size() - kMissingShown);
        console.say(
            fmt::format("fardel: {}: static dependencies are not mounted, and references into them lead "
                        "nowhere: {}; 'fardel links' lists what is missing",
                        printable(mount.label), list));
    }
}

MountLabels labels_of(const Vfs& vfs) {
    MountLabels labels;
    for (const MountDescription& mount : vfs.mounts())
        labels[mount.id] = mount.label;
    return labels;
}

}  // namespace fardel
