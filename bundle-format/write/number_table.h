// NumberTable: finds items by their hashes. It holds only the items' numbers, at most 11 bytes per item, where the
// nodes of std::unordered_map take 70; a bundle may have millions of them. Its owner compares the items.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fardel {

class NumberTable {
public:
    static constexpr std::uint32_t kNone = 0xffffffff;  // no number of an item

    // Removes all numbers, and makes room for `count`.
    void reset(std::size_t count) {
        const std::size_t slots = std::bit_ceil(std::max<std::size_t>(count + count / 3 + 1, 8));
        shift_ = 64 - std::countr_zero(slots);
        used_ = 0;
        slots_.assign(slots, kNone);
    }

    // Whether one more number needs another reset().
    bool is_full() const noexcept { return used_ + used_ / 3 + 1 >= slots_.size(); }

    // The table is not full.
    void insert(std::uint64_t hash, std::uint32_t number) noexcept {
        std::size_t slot = first_slot(hash);
        while (slots_[slot] != kNone)
            slot = next_slot(slot);
        slots_[slot] = number;
        ++used_;
    }

    // Returns the number with this hash that is_it(number) accepts; kNone if there is none.
    template <class IsIt>
    std::uint32_t find(std::uint64_t hash, IsIt is_it) const {
        if (slots_.empty())
            return kNone;
        std::size_t slot = first_slot(hash);
        while (slots_[slot] != kNone && !is_it(slots_[slot]))
            slot = next_slot(slot);
        return slots_[slot];
    }

private:
    // The product's leading bits depend on all bits of the hash.
    std::size_t first_slot(std::uint64_t hash) const noexcept {
        return static_cast<std::size_t>(hash * 0x9e3779b97f4a7c15 >> shift_);
    }
    std::size_t next_slot(std::size_t slot) const noexcept { return (slot + 1) & (slots_.size() - 1); }

    std::vector<std::uint32_t> slots_;  // a power of two of them, at most three quarters of them used
    int shift_ = 0;
    std::size_t used_ = 0;
};

}  // namespace fardel
