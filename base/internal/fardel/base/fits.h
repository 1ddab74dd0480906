// Sums of offsets and sizes that cannot overflow.
#pragma once

#include <cstdint>

namespace fardel {

// Whether `value` + `more` stays ≤ `max`, without overflow.
constexpr bool fits(std::uint64_t value, std::uint64_t more, std::uint64_t max) noexcept {
    return value <= max && more <= max - value;
}

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) noexcept {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace fardel
