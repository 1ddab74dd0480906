// Sums of offsets and sizes that cannot overflow, and sizes in memory, which has fewer bytes than a file may have.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

namespace fardel {

// Whether `value` + `more` stays ≤ `max`, without overflow.
constexpr bool fits(std::uint64_t value, std::uint64_t more, std::uint64_t max) noexcept {
    return value <= max && more <= max - value;
}

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) noexcept {
    return (value + alignment - 1) / alignment * alignment;
}

// Whether an object of so many bytes can exist. A processor of 32 bits has less memory than a file, a table or an asset
// may have bytes.
constexpr bool fits_memory(std::uint64_t size_bytes) noexcept { return size_bytes <= PTRDIFF_MAX; }

// A size, count or position of what is in memory, or below a limit that holds it there.
constexpr std::size_t in_memory(std::uint64_t value) noexcept {
    assert(value <= SIZE_MAX);
    return static_cast<std::size_t>(value);
}

}  // namespace fardel
