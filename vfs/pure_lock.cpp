#include "pure_lock.h"

#include <algorithm>
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

const MountContent* PureLock::reopen(const Mount& mount) {
    auto [at, is_new] = reopened_.try_emplace(mount.number);
    Reopened& reopened = at->second;
    if (is_new) {
        reopened.content = mount;
        if (auto bundle = mount.bundle->reopen_by_manifest()) {
            reopened.content.bundle = *std::move(bundle);
            reopened.content.leases = std::make_shared<const BundleLeases>(reopened.content.bundle);
        } else {
            reopened.problems.push_back(
                make_pure_problem(PureFault::wrong, mount.bundle->id(), mount.bundle->label(), bundle.error().text()));
        }
    }
    return reopened.problems.empty() ? &reopened.content : nullptr;
}

std::shared_ptr<const MountSet> PureLock::show(const MountSet& mounted) {
    std::erase_if(reopened_, [&](const auto& entry) {
        return std::ranges::find(mounted.mounts(), entry.first, &Mount::number) == mounted.mounts().end();
    });
    std::vector<Mount> visible;
    for (PureVisible& one : judge(mounted, *policy_).visible) {
        Mount mount = *mounted.find(one.id);
        if (!one.paths.empty()) {
            mount.paths = std::make_shared<const std::vector<std::string>>(std::move(one.paths));
        } else if (const MountContent* content = reopen(mount)) {
            static_cast<MountContent&>(mount) = *content;
        } else {
            continue;
        }
        visible.push_back(std::move(mount));
    }
    return mounted.locked(std::move(visible), policy_);
}

std::vector<PureProblem> PureLock::problems(const MountSet& mounted) const {
    std::vector<PureProblem> problems = judge(mounted, *policy_).problems;
    for (const auto& [number, reopened] : reopened_)
        problems.insert(problems.end(), reopened.problems.begin(), reopened.problems.end());
    return problems;
}

}  // namespace fardel
