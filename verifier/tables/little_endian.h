// Little-endian integers in bytes; alignment and the host's byte order do not matter. Callers have checked sizes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace fardel {

template <std::unsigned_integral T>
constexpr T load_little_endian(const std::byte* from) noexcept {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | static_cast<T>(static_cast<T>(from[i]) << 8 * i));
    return value;
}

}  // namespace fardel
