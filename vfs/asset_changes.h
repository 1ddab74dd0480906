// What replacing the content of one mount changes for the paths that it publishes.
#pragma once

#include "mount_set.h"

#include <fardel/format/result.h>
#include <fardel/vfs/mount.h>

#include <vector>

namespace fardel {

// By path. `mount` is in both sets; all others have the same content in both. Errors: corrupt, malformed, io.
Result<std::vector<AssetChange>> find_asset_changes(const MountSet& before, const MountSet& after, MountId mount);

}  // namespace fardel
