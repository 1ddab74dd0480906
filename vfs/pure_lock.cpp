#include "pure_lock.h"

#include <utility>
#include <vector>

namespace fardel {

PureJudgement judge(const MountSet& mounted, const PurePolicy& policy) {
    std::vector<PureMount> mounts;
    for (const Mount& mount : mounted.mounts())
        mounts.push_back(pure_mount(mount.describe(), *mount.bundle));
    return judge_mounts(policy, mounts);
}

std::shared_ptr<const MountSet> lock_mounts(const MountSet& mounted, const std::shared_ptr<const PurePolicy>& policy) {
    std::vector<Mount> visible;
    for (PureVisible& one : judge(mounted, *policy).visible) {
        Mount mount = *mounted.find(one.id);
        if (!one.paths.empty())
            mount.paths = std::make_shared<const std::vector<std::string>>(std::move(one.paths));
        visible.push_back(std::move(mount));
    }
    return mounted.locked(std::move(visible), policy);
}

}  // namespace fardel
