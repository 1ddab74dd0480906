// StoreRecord: where the bytes of one bundle file are in a store: ranges of the file, each in a pack.
//
// docs/store.md gives the bytes. A value and its encoding; no I/O. The input is untrusted: a record only locates bytes,
// and readers compare them with their hashes.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

using PackId = Hash;  // BLAKE3-256 of the pack's bytes

struct StorePack {
    PackId id;
    std::uint64_t size_bytes = 0;
    friend bool operator==(const StorePack&, const StorePack&) = default;
};

// Bytes of the bundle file that are adjacent in one pack.
struct StoreExtent {
    std::uint64_t file_offset = 0;
    std::uint64_t length_bytes = 0;
    std::uint32_t pack = 0;  // index into StoreRecord::packs
    std::uint64_t pack_offset = 0;
    friend bool operator==(const StoreExtent&, const StoreExtent&) = default;

    std::uint64_t end() const noexcept { return file_offset + length_bytes; }
};

struct StoreRecord {
    BundleId bundle;
    LayoutId layout;
    std::uint64_t file_bytes = 0;
    std::vector<StorePack> packs;      // each is used by some extent; in the order of their first use
    std::vector<StoreExtent> extents;  // by file offset; they do not overlap, and no two could be one
    friend bool operator==(const StoreRecord&, const StoreRecord&) = default;

    std::uint64_t held_bytes() const noexcept;
    bool is_complete() const noexcept { return held_bytes() == file_bytes; }
    // Returns the extent with the whole range; nullptr if none has all of it.
    const StoreExtent* find(std::uint64_t file_offset, std::uint64_t length_bytes) const noexcept;
};

// Each pack of a record costs an open file while the bundle is mounted.
inline constexpr std::size_t kStorePacksMax = 64;
// Packs to share blocks with: leaves one for what is new, and one for signatures that are added later.
inline constexpr std::size_t kSharedPacksMax = kStorePacksMax - 2;

// A larger record is not read: room for about 2.2 million extents.
inline constexpr std::size_t kStoreRecordBytesMax = 64u << 20;

// Builds a record from extents in any order: joins neighbours, and numbers the packs by their first use. Extents must
// not overlap.
class StoreRecordBuilder {
public:
    // `pack` is any number that identifies the pack to the caller.
    void add(std::uint64_t file_offset, std::uint64_t length_bytes, const StorePack& pack, std::uint64_t pack_offset);
    StoreRecord finish(const BundleId& bundle, const LayoutId& layout, std::uint64_t file_bytes) &&;

private:
    std::vector<StorePack> packs_;
    std::vector<StoreExtent> extents_;
};

std::vector<std::byte> encode_store_record(const StoreRecord& record);
// Returns how many bytes it has when it is encoded.
std::uint64_t encoded_record_bytes(const StoreRecord& record) noexcept;
// Errors: corrupt (the checksum differs), malformed, unsupported (a later version), limit.
Result<StoreRecord> decode_store_record(std::span<const std::byte> bytes);

}  // namespace fardel
