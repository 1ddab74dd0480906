// BlockCache: decoded blocks, bounded in bytes, shared by any number of bundles and threads.
//
// A block is identified by the hash of its stored bytes, so all bundles that contain the same block share it. The cache
// is split into shards, each with its own lock, which is held only for the look-up and never during a read. The least
// recently used blocks are evicted first. Blocks are verified before they are inserted. A block larger than a shard's
// share is not kept.
//
// The cache also owns what its readers need for one read: decoders, buffers, for each core the block that was last read
// on it (at most 256 KiB, in addition to `bytes_max`), and the threads that share long reads. All of it is freed with
// the cache; it has no per-thread state.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>

namespace fardel {

class Executor;
struct BlockRecord;
class ReadScratchPool;

class BlockCache {
public:
    using Block = std::shared_ptr<const std::byte[]>;

    // Blocks, and buffers for stored bytes, come from `memory`; nullptr: from new and delete.
    // Reads of several blocks are shared with the threads of `executor`; nullptr: the reader's thread does all.
    explicit BlockCache(std::size_t bytes_max, std::shared_ptr<std::pmr::memory_resource> memory = nullptr,
                        std::shared_ptr<Executor> executor = nullptr);
    ~BlockCache();
    BlockCache(const BlockCache&) = delete;
    BlockCache& operator=(const BlockCache&) = delete;

    struct Usage {
        std::size_t bytes = 0;  // of blocks; at most bytes_max
        std::uint64_t hits = 0;
        std::uint64_t misses = 0;
        // Of all blocks that were read from their source, also those that went to the reader's memory directly.
        std::uint64_t decoded_bytes = 0;
        std::uint64_t stalls = 0;  // blocks whose stored bytes took longer than kStall to arrive
    };
    static constexpr std::chrono::milliseconds kStall{4};  // a quarter of a frame
    Usage usage() const;

    // Returns the decoded bytes of the block that the record describes, block.raw_bytes of them; nullptr if they are
    // not cached. For readers of bundles.
    Block find(const BlockRecord& block) const;
    // Inserts `bytes`, which were decoded from stored bytes whose hash was compared with the record's.
    void insert(const BlockRecord& block, Block bytes);
    // Notes that a block was read from its source, which took `waited` to give its stored bytes.
    void count_load(std::uint64_t raw_bytes, std::chrono::nanoseconds waited) noexcept {
        decoded_bytes_.fetch_add(raw_bytes, std::memory_order_relaxed);
        if (waited > kStall)
            stalls_.fetch_add(1, std::memory_order_relaxed);
    }
    // Memory for the decoded bytes of one block.
    std::shared_ptr<std::byte[]> make_room(std::size_t size_bytes) const;
    ReadScratchPool& scratch() const noexcept { return *scratch_; }
    Executor* executor() const noexcept { return executor_.get(); }

private:
    struct Shard;
    std::shared_ptr<std::pmr::memory_resource> memory_;  // before what is allocated from it
    std::atomic<std::uint64_t> decoded_bytes_{0};
    std::atomic<std::uint64_t> stalls_{0};
    std::unique_ptr<Shard[]> shards_;
    std::unique_ptr<ReadScratchPool> scratch_;
    std::shared_ptr<Executor> executor_;
};

}  // namespace fardel
