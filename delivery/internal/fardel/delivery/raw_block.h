// Raw bytes of blocks, and the stored bytes that they are encoded to.
//
// Encoding gives the bytes that somebody else's packer wrote only with the same version of libzstd or liblz4 and at the
// same level, so whatever it gives is compared with the hash in the block's record. LZ4 has one level: its blocks come
// out at any.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/block_codec.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace fardel {

// Fills `out`, which has as many bytes as the block has stored ones, and compares them with their hash. Errors: corrupt
// (other bytes), malformed, those of the bundle's source.
Status read_stored_block(const Bundle& bundle, const BlockRecord& block, std::span<std::byte> out);

// Returns the records of all blocks. Error: malformed (a block is out of place, or overlaps the one before: they would
// be written over each other), those of the tables.
Result<std::vector<BlockRecord>> block_records(const Bundle& bundle);

// Returns the blocks of a bundle by the hash of their stored bytes.
Result<std::unordered_map<Hash, std::uint32_t>> blocks_by_hash(const Bundle& bundle);

// Reads blocks and decodes them. One thread at a time; its own threads apart.
class RawBlocks {
public:
    explicit RawBlocks(const Bundle& bundle) : bundle_(&bundle) {}
    // Fills `out`, which has the block's raw size. Errors: those of read_stored_block and BlockDecoder.
    Status read(const BlockRecord& block, std::span<std::byte> out);
    // Fills `out`, which has the raw size of all the blocks, with one after the other, on `jobs` threads. Error: that
    // of the first block that cannot be read.
    Status read_all(std::span<const BlockRecord> blocks, std::span<std::byte> out, unsigned jobs);

private:
    const Bundle* bundle_;
    BlockDecoder decoder_;
    std::vector<std::byte> stored_;
};

// A block whose raw bytes are at hand.
struct RawBlock {
    BlockRecord record;
    std::span<const std::byte> raw;
};

// Encodes the blocks at `level` (0: none of zstd), on `jobs` threads (0: one per core). For each,
// calls `take` on the caller's thread and in order, with the stored bytes, or with nothing if they do not have the
// record's hash.
Status encode_blocks(std::span<const RawBlock> blocks, std::uint32_t level, unsigned jobs,
                     const std::function<Status(std::size_t, std::optional<std::span<const std::byte>>)>& take);

// Returns the level at which encoding gives these stored blocks again, found by trying; 0 if there is none. At most
// kLevelSamples of the records are looked at.
inline constexpr std::size_t kLevelSamples = 4;
Result<std::uint32_t> find_level(const Bundle& bundle, std::span<const BlockRecord> records);
// The same for all of the blocks, none of which is stored raw.
std::uint32_t find_level(std::span<const RawBlock> blocks);
// Whether encoding at this level gives these stored blocks again, as far as they are looked at; also if there are none.
Result<bool> is_level_of(const Bundle& bundle, std::span<const BlockRecord> records, std::uint32_t level);

}  // namespace fardel
