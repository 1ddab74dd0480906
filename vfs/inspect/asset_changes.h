// What replacing the content of one mount changes for the paths that it publishes.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/vfs/mount.h>

#include <vector>

namespace fardel {

// By path; what cannot be told says so. None when a pure policy hides the mount. All other mounts have the same content
// in both sets.
std::vector<AssetChange> find_asset_changes(const MountSet& before, const MountSet& after, MountId mount);

}  // namespace fardel
