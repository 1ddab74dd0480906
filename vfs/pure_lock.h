// PureLock: the mounts that the policy of pure mode leaves visible.
//
// Bundles of the content set are opened again, so that every byte of them is compared with the manifest that the policy
// names, and not with a layout that the player's own key may have signed. One thread at a time.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/vfs/pure_judgement.h>
#include <fardel/vfs/pure_policy.h>

#include <map>
#include <memory>
#include <vector>

namespace fardel {

class PureLock {
public:
    explicit PureLock(PurePolicy policy) : policy_(std::make_shared<const PurePolicy>(std::move(policy))) {}

    // The set that readers see. A bundle that cannot be opened again is hidden.
    std::shared_ptr<const MountSet> show(const MountSet& mounted);
    // Everything that is wrong with the mounts, including what show() found.
    std::vector<PureProblem> problems(const MountSet& mounted) const;

private:
    // The content of a mount, verified by its manifest; nullptr: it cannot be opened again.
    const MountContent* reopen(const Mount& mount);

    struct Reopened {
        MountContent content;
        std::vector<PureProblem> problems;  // if there are any, there is no content
    };
    std::shared_ptr<const PurePolicy> policy_;
    std::map<ContentNumber, Reopened> reopened_;  // of the visible mounts
};

}  // namespace fardel
