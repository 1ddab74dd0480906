#include "read_scratch.h"

#include <fardel/base/core_number.h>
#include <fardel/format/limits.h>

namespace fardel {

std::shared_ptr<std::byte[]> allocate_bytes(std::pmr::memory_resource* memory, std::size_t size_bytes) {
    if (memory == nullptr)
        return std::make_shared_for_overwrite<std::byte[]>(size_bytes);
    return std::allocate_shared_for_overwrite<std::byte[]>(std::pmr::polymorphic_allocator<std::byte>(memory),
                                                           size_bytes);
}

std::span<std::byte> ReadScratch::stored_room(std::size_t size_bytes) {
    if (capacity_bytes_ < size_bytes) {
        const std::size_t wanted =
            size_bytes <= (1u << limits::kBlockLog2) ? (1u << limits::kBlockLog2) : limits::kBlockBytesMax;
        stored_ = allocate_bytes(memory_, wanted);
        capacity_bytes_ = wanted;
    }
    return {stored_.get(), size_bytes};
}

ReadScratchPool::ReadScratchPool(std::size_t cores, std::pmr::memory_resource* memory)
    : memory_(memory), cores_(cores), slots_(cores > 0 ? std::make_unique<Slot[]>(cores) : nullptr) {
    for (std::size_t i = 0; i < cores_; ++i)
        slots_[i].scratch.memory_ = memory_;
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
    return Lease(*this, std::make_unique<ReadScratch>(memory_));
}

void ReadScratchPool::put_back(std::unique_ptr<ReadScratch> spare) noexcept {
    spare->last_bytes.reset();  // otherwise these bytes would stay allocated outside the cache's bound
    const std::scoped_lock lock(mutex_);
    if (spares_.size() < kSparesMax)
        spares_.push_back(std::move(spare));  // within the reserve: allocates nothing
}

}  // namespace fardel
