// PureLock: the mounts that the policy of pure mode leaves visible. One thread at a time.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/vfs/pure_judgement.h>
#include <fardel/vfs/pure_policy.h>

#include <memory>
#include <vector>

namespace fardel {

class PureLock {
public:
    explicit PureLock(PurePolicy policy) : policy_(std::make_shared<const PurePolicy>(std::move(policy))) {}

    // The set that readers see.
    std::shared_ptr<const MountSet> show(const MountSet& mounted) const;
    // Everything that is wrong with the mounts.
    std::vector<PureProblem> problems(const MountSet& mounted) const;

private:
    std::shared_ptr<const PurePolicy> policy_;
};

}  // namespace fardel
