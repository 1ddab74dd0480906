// PackReference: a pack of a store whose bytes are in a file elsewhere, which the store does not own.
//
// docs/store.md gives the bytes. A value and its encoding; no I/O. It only locates bytes: readers compare them with
// their hashes, and fsck with the id of the pack.
#pragma once

#include "packs/store_record.h"

#include <fardel/base/path_stamp.h>
#include <fardel/base/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct PackReference {
    StorePack pack;
    PathStamp stamp;   // of a file, when it had these bytes
    std::string path;  // absolute
    friend bool operator==(const PackReference&, const PackReference&) = default;
};

inline constexpr std::size_t kReferencePathMax = 4096;
inline constexpr std::size_t kReferenceBytesMax = 8192;

std::vector<std::byte> encode_pack_reference(const PackReference& reference);
// Errors: corrupt (the checksum differs), malformed, unsupported (another version), limit.
Result<PackReference> decode_pack_reference(std::span<const std::byte> bytes);

}  // namespace fardel
