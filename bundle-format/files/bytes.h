// Little-endian integers in byte strings; alignment and the host's byte order do not matter. Callers have checked
// sizes.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace fardel {

template <std::unsigned_integral T>
constexpr T swap_bytes(T value) noexcept {
    T out = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        out = static_cast<T>((out << (sizeof(T) > 1 ? 8 : 0)) | ((value >> (8 * i)) & 0xff));
    return out;
}

template <std::unsigned_integral T>
T load_le(const std::byte* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::endian::native == std::endian::big)
        value = swap_bytes(value);
    return value;
}

template <std::unsigned_integral T>
void store_le(std::byte* to, T value) noexcept {
    if constexpr (std::endian::native == std::endian::big)
        value = swap_bytes(value);
    std::memcpy(to, &value, sizeof value);
}

template <std::unsigned_integral T>
void append_le(std::vector<std::byte>& out, T value) {
    out.resize(out.size() + sizeof value);
    store_le(out.data() + out.size() - sizeof value, value);
}

// Whether `value` + `more` stays ≤ `max`, without overflow.
constexpr bool fits(std::uint64_t value, std::uint64_t more, std::uint64_t max) noexcept {
    return value <= max && more <= max - value;
}

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) noexcept {
    return (value + alignment - 1) / alignment * alignment;
}

}  // namespace fardel
