// The tree that a server's policy leaves of a player's bundles, for `fardel mount --pure`.
#pragma once

#include "bundles/mounts.h"

#include <fardel/vfs/pure_policy.h>

#include <string>
#include <vector>

namespace fardel {

// Mounts the files and locks `vfs`, which is empty and which nobody reads yet. The content set is mounted where the
// policy says: from the files, or else from the store or a library; other files are mounted at the root. The report has
// everything that is wrong, also what cannot be opened; problems name files by their names. What is recalled by a
// channel that the policy names and the player follows is `revoked`. Errors: those of read_trust_policy, BundleStore,
// BundleLibrary and accepted_channel.
Result<PureReport> mount_pure(Vfs& vfs, const PurePolicy& policy, const std::vector<std::string>& files,
                              const MountingOptions& options);

}  // namespace fardel
