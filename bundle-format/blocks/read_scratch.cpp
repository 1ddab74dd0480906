#include "read_scratch.h"

#include <fardel/base/core_number.h>
#include <fardel/format/limits.h>

namespace fardel {

std::span<std::byte> ReadScratch::stored_room(std::size_t size_bytes) {
    if (capacity_bytes_ < size_bytes) {
        const std::size_t wanted =
            size_bytes <= (1u << limits::kBlockLog2) ? (1u << limits::kBlockLog2) : limits::kBlockBytesMax;
        stored_ = std::make_unique_for_overwrite<std::byte[]>(wanted);
        capacity_bytes_ = wanted;
    }
    return {stored_.get(), size_bytes};
}

ReadScratchPool::ReadScratchPool(std::size_t cores)
    : cores_(cores), slots_(cores > 0 ? std::make_unique<Slot[]>(cores) : nullptr) {
    spares_.reserve(kSparesMax);
}

ReadScratchPool::Lease ReadScratchPool::acquire() {
    if (cores_ > 0) {
        const std::size_t core = core_number();
        Slot& slot = slots_[core < cores_ ? core : core % cores_];
        if (!slot.in_use.test_and_set(std::memory_order_acquire))
            return Lease(*this, slot);
    }
    return acquire_spare();
}

ReadScratchPool::Lease ReadScratchPool::acquire_spare() {
    {
        const std::scoped_lock lock(mutex_);
        if (!spares_.empty()) {
            std::unique_ptr<ReadScratch> spare = std::move(spares_.back());
            spares_.pop_back();
            return Lease(*this, std::move(spare));
        }
    }
    return Lease(*this, std::make_unique<ReadScratch>());
}

void ReadScratchPool::put_back(std::unique_ptr<ReadScratch> spare) noexcept {
    spare->last_bytes.reset();  // otherwise these bytes would stay allocated outside the cache's bound
    const std::scoped_lock lock(mutex_);
    if (spares_.size() < kSparesMax)
        spares_.push_back(std::move(spare));  // within the reserve: allocates nothing
}

}  // namespace fardel
