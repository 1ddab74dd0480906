// Sealed records: magic, version, fields, and the BLAKE3 of all that. Indexes and references on disk have this frame.
//
// The checksum finds damage; it vouches for nothing, because whoever can write the file can compute it.
#pragma once

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kSealedMagicBytes = 8;
// What a sealed record has beside its fields: magic, version and checksum.
inline constexpr std::size_t kSealBytes = kSealedMagicBytes + sizeof(std::uint32_t) + sizeof(Hash);

struct SealedKind {
    std::string_view subject;  // begins every message, e.g. "library index"
    std::string_view magic;    // kSealedMagicBytes characters
    std::uint32_t version = 1;
};

// A writer that has written magic and version already; seal() appends the checksum.
ByteWriter begin_sealed(const SealedKind& kind);
std::vector<std::byte> seal(ByteWriter writer);
// A reader that is at the first field and ends before the checksum. The text of `kind.subject` outlives it. The version
// is compared before the checksum, so that a later version is unsupported, however it is sealed. Errors: corrupt (the
// checksum differs), malformed, unsupported (another version).
Result<ByteReader> open_sealed(std::span<const std::byte> bytes, const SealedKind& kind);

// The file below `index_folder` in which an index of `folder`, a path without links, is kept; `ending` names its kind.
std::string index_path_of(const std::string& index_folder, const std::string& folder, std::string_view ending);

}  // namespace fardel
