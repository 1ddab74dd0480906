// What replacing the content of one mount changes for the paths that it publishes.
#pragma once

#include "mount_set.h"

#include <fardel/format/result.h>
#include <fardel/vfs/mount.h>

#include <vector>

namespace fardel {

// By path; none when a pure policy hides the mount. All other mounts have the same content in both sets. Errors: corrupt, malformed, io.
Result<std::vector<AssetChange>> find_asset_changes(const MountSet& before, const MountSet& after, MountId mount);

}  // namespace fardel
