// How explain() is answered: the same look-ups as find(), told in full.
#pragma once

#include "lookup/asset_verdicts.h"
#include "mounts/mount_set.h"

#include <fardel/vfs/explanation.h>

namespace fardel {

// The candidates of a path and the one that wins. `folder` is left to the caller.
Explanation explain_path(const MountSet& set, AssetVerdicts& verdicts, const PathParts& path);

}  // namespace fardel
