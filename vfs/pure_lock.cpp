#include "pure_lock.h"

#include <utility>

namespace fardel {
namespace {

PureJudgement judge(const MountSet& mounted, const PurePolicy& policy) {
    std::vector<PureMount> mounts;
    for (const Mount& mount : mounted.mounts())
        mounts.push_back(pure_mount(mount.describe(), *mount.bundle));
    return judge_mounts(policy, mounts);
}

}  // namespace

std::shared_ptr<const MountSet> PureLock::show(const MountSet& mounted) const {
    std::vector<Mount> visible;
    for (PureVisible& one : judge(mounted, *policy_).visible) {
        Mount mount = *mounted.find(one.id);
        if (!one.paths.empty())
            mount.paths = std::make_shared<const std::vector<std::string>>(std::move(one.paths));
        visible.push_back(std::move(mount));
    }
    return mounted.locked(std::move(visible), policy_);
}

std::vector<PureProblem> PureLock::problems(const MountSet& mounted) const { return judge(mounted, *policy_).problems; }

}  // namespace fardel
