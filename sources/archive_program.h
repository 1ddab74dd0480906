// Runs fardel-archive, the program that reads archives of the formats that only PhysicsFS knows: 7z, pak, wad, ….
//
// These readers were not written for hostile bytes, so they run confined, in a process of their own: it may open no
// file, connect to nothing and start no program, and has limits on memory, time and output. It reads the archive from
// its standard input and writes to its standard output, which are files that it gets open. Any thread.
#pragma once

#include "archive_items.h"

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The files of one archive together.
inline constexpr std::uint64_t kUnpackedBytesMax = std::uint64_t{8} << 30;

// Returns `wanted` or, if that is empty, the installed program. Error: missing.
Result<std::string> find_archive_program(const std::string& wanted, std::string_view format);

// `format` is the usual extension of the format, whose signature the bytes have. Errors: malformed (also if the
// archive crashes the reader), limit (items, bytes, memory, time), unsupported, no_space, io.
Result<std::vector<ArchiveItem>> list_in_program(const std::string& program, const ByteSource& archive,
                                                 std::string_view format);

// The files of an archive, one after another, in a file without a name.
struct UnpackedFiles {
    Descriptor bytes;
    ReadFailures failures;  // a file that failed has bytes of no meaning
};
// `items` are what list_in_program returned. Errors: as list_in_program; conflict (the archive was changed).
Result<UnpackedFiles> unpack_in_program(const std::string& program, const ByteSource& archive, std::string_view format,
                                        std::span<const ArchiveItem> items);

}  // namespace fardel
