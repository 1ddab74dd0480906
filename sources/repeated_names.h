// Names that an archive of the kind pak, grp or wad has more than once. PhysicsFS shows one of them and says nothing.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace fardel {

struct ArchiveNames {
    std::map<std::string, std::size_t> counts;  // of each name, with its raw bytes
    bool ordered = false;                       // names have their meaning by their order: maps and marks of Doom
};

// Reads the directory of a pak, grp or wad; other formats have none to read. The input is hostile; memory is bounded by
// the size of the directory. Errors: malformed (it reaches past the end), limit, io.
Result<ArchiveNames> read_archive_names(const ByteSource& bytes, std::string_view format);

}  // namespace fardel
