// Finds out which files of a folder are bundles.
#pragma once

#include "library/library_index.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::size_t kLibraryFilesMax = 1'000'000;  // in one folder

struct LibraryScan {
    LibraryIndex files;          // whose names end in ".fardel"; also young ones
    std::uint64_t heads = 0;     // that were read
    bool is_remembered = false;  // the index says exactly this already
};

// Looks at the files of a folder itself, not at those below; reads the heads of those that `known` does not have with
// the same stamp. Links are no files, wherever they lead. Files that cannot be read are no bundles this time. Errors:
// missing (also if it is no folder), denied, limit, io.
Result<LibraryScan> scan_library_folder(const std::string& path, const LibraryIndex& known);

}  // namespace fardel
