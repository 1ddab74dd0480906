// ReadScratch: the memory and decoder that one read of a block needs besides the caller's memory.
//
// A pool owns them and lends one per read. A pool with `cores` slots has one slot per core; a thread takes its core's
// slot without waiting, and the slot keeps the block that was last read on that core. A thread that finds the slot
// taken (its user was suspended or moved to another core) gets a spare one; a pool without slots gives every thread a
// spare. Spares are created on demand, and few are kept.
#pragma once

#include <fardel/base/threads.h>
#include <fardel/format/block_cache.h>
#include <fardel/format/block_codec.h>
#include <fardel/format/manifest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

// Memory whose bytes are not set. nullptr: from new and delete.
std::shared_ptr<std::byte[]> allocate_bytes(std::pmr::memory_resource* memory, std::size_t size_bytes);

class ReadScratch {
public:
    explicit ReadScratch(std::pmr::memory_resource* memory = nullptr) noexcept : memory_(memory) {}

    // Returns memory for the stored bytes of one block.
    std::span<std::byte> stored_room(std::size_t size_bytes);

    BlockDecoder decoder;
    // The block that was last read and its decoded bytes; nullptr: none. Reads of neighbours in that block need no
    // look-up in the shared cache.
    BlockRecord last_record;
    BlockCache::Block last_bytes;

private:
    friend class ReadScratchPool;
    std::pmr::memory_resource* memory_;
    std::shared_ptr<std::byte[]> stored_;
    std::size_t capacity_bytes_ = 0;
};

class ReadScratchPool {
    struct alignas(64) Slot {
        std::atomic_flag in_use;
        ReadScratch scratch;
    };

public:
    class Lease {
    public:
        Lease(Lease&& other) noexcept
            : pool_(other.pool_), slot_(std::exchange(other.slot_, nullptr)), spare_(std::move(other.spare_)) {}
        Lease& operator=(Lease&&) = delete;
        ~Lease() {
            if (slot_)
                slot_->in_use.clear(std::memory_order_release);
            else if (spare_)
                pool_->put_back(std::move(spare_));
        }

        ReadScratch& operator*() const noexcept { return slot_ ? slot_->scratch : *spare_; }
        ReadScratch* operator->() const noexcept { return &**this; }

    private:
        friend class ReadScratchPool;
        Lease(ReadScratchPool& pool, Slot& slot) noexcept : pool_(&pool), slot_(&slot) {}
        Lease(ReadScratchPool& pool, std::unique_ptr<ReadScratch> spare) noexcept
            : pool_(&pool), spare_(std::move(spare)) {}

        ReadScratchPool* pool_;
        Slot* slot_ = nullptr;
        std::unique_ptr<ReadScratch> spare_;
    };

    // `memory` outlives the pool; nullptr: new and delete.
    explicit ReadScratchPool(std::size_t cores, std::pmr::memory_resource* memory = nullptr);
    ReadScratchPool(const ReadScratchPool&) = delete;
    ReadScratchPool& operator=(const ReadScratchPool&) = delete;

    Lease acquire();

private:
    static constexpr std::size_t kSparesMax = 4;

    Lease acquire_spare();
    void put_back(std::unique_ptr<ReadScratch> spare) noexcept;

    std::pmr::memory_resource* memory_;
    std::size_t cores_;
    std::unique_ptr<Slot[]> slots_;
    Mutex mutex_;
    std::vector<std::unique_ptr<ReadScratch>> spares_;
};

}  // namespace fardel
