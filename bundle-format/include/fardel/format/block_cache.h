// BlockCache: decoded blocks, bounded in bytes, shared by any number of bundles and threads.
//
// A block is known by the hash of its stored bytes, so bundles that hold the same block share it, whatever they are.
// Split into shards, each with its own lock, held only for the look-up; never one lock around all reads. Blocks that
// were not used for long leave first. Blocks are verified before they enter. A block larger than a shard's share is not
// kept.
#pragma once

#include <fardel/format/manifest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fardel {

class BlockCache {
public:
    using Block = std::shared_ptr<const std::byte[]>;

    explicit BlockCache(std::size_t bytes_max);
    ~BlockCache();
    BlockCache(const BlockCache&) = delete;
    BlockCache& operator=(const BlockCache&) = delete;

    // The decoded bytes of a block that is stored as the record says, block.raw_bytes of them; nullptr when they are
    // not there.
    Block find(const BlockRecord& block) const;
    // `bytes` were decoded from stored bytes whose hash was compared with the record's.
    void insert(const BlockRecord& block, Block bytes);

    struct Usage {
        std::size_t bytes = 0;
        std::uint64_t hits = 0;
        std::uint64_t misses = 0;
    };
    Usage usage() const;

private:
    struct Shard;
    std::unique_ptr<Shard[]> shards_;
};

}  // namespace fardel
