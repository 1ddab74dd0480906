#include "pure_lock.h"

#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

PureJudgement judge(const MountSet& mounted, const PurePolicy& policy) {
    std::vector<PureMount> mounts;
    for (const Mount& mount : mounted.mounts())
        mounts.emplace_back(pure_mount(mount.describe(), mount.bundle())).pure_only = mount.pure_only;
    return judge_mounts(policy, mounts);
}

}  // namespace

std::shared_ptr<const MountSet> PureLock::show(const MountSet& mounted) const {
    std::vector<Mount> visible;
    std::vector<std::string> compiled;  // mounts with the same globs, as all folders of loose files, share their set
    std::shared_ptr<const GlobSet> globs;
    std::unordered_map<MountId, const Mount*> by_id;
    for (const Mount& mount : mounted.mounts())
        by_id.emplace(mount.id, &mount);
    for (PureVisible& one : judge(mounted, *policy_).visible) {
        Mount mount = *by_id.at(one.id);
        if (!one.paths.empty()) {
            if (!globs || compiled != one.paths) {
                compiled = std::move(one.paths);
                globs = std::make_shared<const GlobSet>(compiled);
            }
            mount.paths = globs;
            mount.shown_assets = std::make_shared<ShownAssets>();
        }
        visible.push_back(std::move(mount));
    }
    return mounted.locked(std::move(visible), policy_);
}

std::vector<PureProblem> PureLock::problems(const MountSet& mounted) const { return judge(mounted, *policy_).problems; }

}  // namespace fardel
