// BlockCache: decoded blocks, bounded in bytes, shared by any number of bundles and threads.
//
// A block is identified by the hash of its stored bytes, so all bundles that contain the same block share it. The cache
// is split into shards, each with its own lock, which is held only for the look-up and never during a read. The least
// recently used blocks are evicted first. Blocks are verified before they are inserted. A block larger than a shard's
// share is not kept.
//
// The cache also owns what its readers need for one read: decoders, buffers, and for each core the block that was last
// read on it (at most 256 KiB, in addition to `bytes_max`). All of it is freed with the cache; it has no per-thread
// state.
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

    // Returns the decoded bytes of the block that the record describes, block.raw_bytes of them; nullptr if they are
    // not cached. For readers of bundles.
    Block find(const BlockRecord& block) const;
    // Inserts `bytes`, which were decoded from stored bytes whose hash was compared with the record's.
    void insert(const BlockRecord& block, Block bytes);
    ReadScratchPool& scratch() const noexcept { return *scratch_; }

private:
    struct Shard;
    std::unique_ptr<Shard[]> shards_;
    std::unique_ptr<ReadScratchPool> scratch_;
};

}  // namespace fardel
