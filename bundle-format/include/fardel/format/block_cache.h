// BlockCache: decoded blocks, bounded in bytes, shared by any number of bundles and threads.
//
// A block is known by the hash of its stored bytes, so bundles that hold the same block share it, whatever they are.
// Split into shards, each with its own lock, held only for the look-up; no lock is held around a read. Blocks that were
// not used for long leave first. Blocks are verified before they enter. A block larger than a shard's share is not
// kept.
//
// The cache also owns what its readers need for one read: decoders, buffers, and for each core the block that was read
// last on it (at most 256 KiB, beside `bytes_max`). All of it is freed with the cache; nothing belongs to a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fardel {

struct BlockRecord;
class ReadScratchPool;

class BlockCache {
public:
    using Block = std::shared_ptr<const std::byte[]>;

    explicit BlockCache(std::size_t bytes_max);
    ~BlockCache();
    BlockCache(const BlockCache&) = delete;
    BlockCache& operator=(const BlockCache&) = delete;

    struct Usage {
        std::size_t bytes = 0;  // of blocks; at most bytes_max
        std::uint64_t hits = 0;
        std::uint64_t misses = 0;
    };
    Usage usage() const;

    // For readers of bundles. The decoded bytes of a block that is stored as the record says, block.raw_bytes of them;
    // nullptr if they are not cached.
    Block find(const BlockRecord& block) const;
    // `bytes` were decoded from stored bytes whose hash was compared with the record's.
    void insert(const BlockRecord& block, Block bytes);
    ReadScratchPool& scratch() const noexcept { return *scratch_; }

private:
    struct Shard;
    std::unique_ptr<Shard[]> shards_;
    std::unique_ptr<ReadScratchPool> scratch_;
};

}  // namespace fardel
