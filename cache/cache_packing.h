// Moves small records and objects of a cache folder into packs, so that thousands of them are one file.
//
// A pack is a bundle in the form of `fardel cache export`. It is complete and on the disk before a file that it has is
// removed, so whoever is killed, each record is there at least once; what is there twice, the next packing removes.
// One process packs a folder at a time. Builds may use the folder meanwhile: cache_packs.h.
#pragma once

#include "cache_folder.h"

#include <fardel/base/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

namespace fardel {

inline constexpr std::size_t kPackedAtLeast = 256;  // fewer files are left as they are

struct CachePackingReport {
    std::uint64_t files_packed = 0;
    std::uint64_t bytes_removed = 0;  // of these files, and of packs that became part of a new one
    std::uint64_t bytes_added = 0;    // of new packs
};

// Packs those of `files` that are small, unless there are few. Begins nothing after the deadline. Packs that are not
// much larger than what is new become part of the new pack, so that they remain few. Does nothing if another process
// packs the folder. Errors: cancelled, no_space, denied, io, those of CacheTrimLock.
Result<CachePackingReport> pack_cache_files(const CacheFolder& folder, std::vector<CacheFile> files,
                                            std::chrono::steady_clock::time_point deadline,
                                            const std::stop_token& stop);

}  // namespace fardel
