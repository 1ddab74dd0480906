// How conflicts() is answered: each published name of each mount is looked up in all of them.
#pragma once

#include "mounts/mount_set.h"

#include <fardel/format/result.h>
#include <fardel/vfs/conflict.h>

#include <cstddef>
#include <vector>

namespace fardel {

// By path. Errors: limit (more than conflicts_max), corrupt, malformed, io.
Result<std::vector<Conflict>> find_conflicts(const MountSet& set, std::size_t conflicts_max);

}  // namespace fardel
