// Which files of a cache's folder are to go, and in which order. Pure.
#pragma once

#include "cache_folder.h"

#include <fardel/store/cache_layers.h>

#include <cstdint>
#include <vector>

namespace fardel {

// Of `files`, those that have not been used for too long, then the least recently used ones until the rest fits. The
// same order for everybody who sees the same files, so that two who trim at once do not remove twice as much.
std::vector<CacheFile> plan_trim(std::vector<CacheFile> files, const CacheTrim& trim, std::int64_t now_ns);

}  // namespace fardel
