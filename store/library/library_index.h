// LibraryIndex: what the files of one folder of a library are, as they were when their heads were read.
//
// docs/store.md gives the bytes. A value and its encoding; no I/O. The index is only a hint: stamps decide whether an
// entry still counts, and the head of a file is compared with the bundle id whenever it is opened.
#pragma once

#include <fardel/base/path_stamp.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct LibraryEntry {
    std::string name;                // in the folder; 1 to 255 bytes
    PathStamp stamp;                 // of a file, and not young
    std::optional<BundleId> bundle;  // nothing: the file is no bundle
    friend bool operator==(const LibraryEntry&, const LibraryEntry&) = default;
};

using LibraryIndex = std::vector<LibraryEntry>;  // by name, each name once

// A larger index is neither written nor read: room for about half a million files.
inline constexpr std::size_t kLibraryIndexBytesMax = 64u << 20;

std::vector<std::byte> encode_library_index(const LibraryIndex& index);
// Errors: corrupt (the checksum differs), malformed, unsupported (another version), limit.
Result<LibraryIndex> decode_library_index(std::span<const std::byte> bytes);

}  // namespace fardel
