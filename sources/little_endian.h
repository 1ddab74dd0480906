// Little-endian integers in bytes of archives; alignment does not matter. Callers have checked sizes.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <vector>

namespace fardel {

template <std::unsigned_integral T>
T load_le(const std::byte* from) noexcept {
    T value = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&value, from, sizeof value);
    } else {
        for (std::size_t i = 0; i < sizeof(T); ++i)
            value = static_cast<T>(value | static_cast<T>(static_cast<T>(from[i]) << (8 * i)));
    }
    return value;
}

template <std::unsigned_integral T>
void append_le(std::vector<std::byte>& out, T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i)
        out.push_back(static_cast<std::byte>(value >> (8 * i) & 0xff));
}

}  // namespace fardel
