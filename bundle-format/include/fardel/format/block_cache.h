// BlockCache: decoded blocks, bounded in bytes, shared by any number of bundles and threads.
//
// Split into shards, each with its own lock, held only for the look-up; never one lock around all reads. The least
// recently used blocks leave first. Blocks are verified before they enter. A block larger than a shard's share is not
// kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fardel {

class BlockCache {
public:
    using Block = std::shared_ptr<const std::byte[]>;   // its size is in the bundle's block record

    explicit BlockCache(std::size_t bytes_max);
    ~BlockCache();
    BlockCache(const BlockCache&) = delete;
    BlockCache& operator=(const BlockCache&) = delete;

    // A number that no other bundle of this process gets; each open bundle asks once.
    static std::uint64_t next_owner() noexcept;

    // nullptr when it is not there.
    Block find(std::uint64_t owner, std::uint32_t block) const;
    void insert(std::uint64_t owner, std::uint32_t block, Block bytes, std::size_t size_bytes);
    void erase_owner(std::uint64_t owner);

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
