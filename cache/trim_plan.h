// Decides which files of a cache folder trimming removes, and in which order. Pure.
#pragma once

#include "cache_folder.h"

#include <fardel/cache/cache_layers.h>

#include <cstdint>
#include <vector>

namespace fardel {

// The order in which files are removed: the least recently used first.
bool is_trimmed_before(const CacheFile& a, const CacheFile& b);

// Returns the files that were unused for too long, then the least recently used ones until the rest fits; none that was
// used at `kept_since_ns` or later. The order depends on the files only, so that two programs that trim at once remove
// the same ones.
std::vector<CacheFile> plan_trim(std::vector<CacheFile> files, const CacheTrimOptions& trim, std::int64_t now_ns,
                                 std::int64_t kept_since_ns);

}  // namespace fardel
