// The head and the directory of a delta file, as values. docs/deltas.md gives the bytes.
//
// A delta turns one bundle, in one layout, into another. All input is hostile: what a delta says is only believed as
// far as the blocks and tables that it gives have the hashes of the new bundle.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace fardel {

inline constexpr std::size_t kDeltaHeadBytes = 192;
inline constexpr std::uint32_t kDeltaLevelMax = 19;               // of blocks
inline constexpr std::uint32_t kDeltaSegmentBytesMax = 8u << 20;  // what one segment gives
inline constexpr std::uint32_t kDeltaPrefixBytesMax = 24u << 20;  // what one segment refers to
inline constexpr std::uint32_t kDeltaFrameBytesMax = 9u << 20;    // of one segment
inline constexpr std::uint64_t kDeltaDirectoryBytesMax = 64ull << 20;
inline constexpr std::uint64_t kDeltaTablesBytesMax = 1ull << 30;  // tables of the new bundle, and the heads

struct DeltaHead {
    std::uint32_t level = 0;  // of compression, at which the blocks of `raw` segments are encoded again
    BundleId old_bundle;
    LayoutId old_layout;
    BundleId new_bundle;
    LayoutId new_layout;
    std::uint64_t file_bytes = 0;       // of the new bundle file
    std::uint64_t directory_bytes = 0;  // after the head
    std::uint64_t tables_bytes = 0;     // of the frames that give the tables, after the directory
    std::uint64_t blocks_bytes = 0;     // of the frames that give blocks, to the end
    std::uint32_t table_segments = 0;
    std::uint32_t block_segments = 0;
    friend bool operator==(const DeltaHead&, const DeltaHead&) = default;

    std::uint64_t front_bytes() const noexcept { return kDeltaHeadBytes + directory_bytes + tables_bytes; }
    std::uint64_t delta_bytes() const noexcept { return front_bytes() + blocks_bytes; }
};

// Gives the next `raw_bytes` of the new table image; its prefix is a part of the old one.
struct DeltaTables {
    std::uint32_t frame_bytes = 0;
    std::uint32_t raw_bytes = 0;
    std::uint64_t prefix_offset = 0;
    std::uint32_t prefix_bytes = 0;
    friend bool operator==(const DeltaTables&, const DeltaTables&) = default;
};

// Neighbouring records of a table of blocks.
struct BlockRun {
    std::uint32_t first = 0;
    std::uint32_t count = 0;  // at least 1
    friend bool operator==(const BlockRun&, const BlockRun&) = default;

    std::uint64_t end() const noexcept { return std::uint64_t{first} + count; }
};

std::vector<BlockRun> runs_of(const std::set<std::uint32_t>& blocks);
std::uint64_t count_of(std::span<const BlockRun> runs) noexcept;  // blocks

// Gives blocks of the new bundle; the prefix is the raw bytes of blocks of the old one.
struct DeltaBlocks {
    enum class Form : std::uint8_t {
        raw = 1,     // raw bytes, to be encoded at the delta's level
        stored = 2,  // stored bytes, for blocks that encoding does not give
    };
    Form form = Form::raw;
    std::uint32_t frame_bytes = 0;
    std::vector<BlockRun> prefix;  // ascending and apart from each other
    std::vector<BlockRun> blocks;  // the same, and behind those of the segments before that have the same form
    friend bool operator==(const DeltaBlocks&, const DeltaBlocks&) = default;
};

struct DeltaDirectory {
    std::vector<DeltaTables> tables;
    std::vector<DeltaBlocks> blocks;  // first all of the form raw
    friend bool operator==(const DeltaDirectory&, const DeltaDirectory&) = default;
};

std::vector<std::byte> encode_delta_head(const DeltaHead& head);
// Errors: malformed, unsupported (an earlier or a later version), limit.
Result<DeltaHead> decode_delta_head(std::span<const std::byte> bytes);

std::vector<std::byte> encode_delta_directory(const DeltaDirectory& directory);
// Also checks that the sums are those of the head. Errors: malformed, limit.
Result<DeltaDirectory> decode_delta_directory(const DeltaHead& head, std::span<const std::byte> bytes);

}  // namespace fardel
