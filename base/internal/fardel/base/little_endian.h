// Little-endian integers in memory, independent of alignment and the machine's byte order. The caller has checked that
// the bytes exist; ByteReader and ByteWriter do that.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <vector>

namespace fardel {

template <std::unsigned_integral T>
constexpr T swap_bytes(T value) noexcept {
    T out = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        out = static_cast<T>((out << (sizeof(T) > 1 ? 8 : 0)) | ((value >> (8 * i)) & 0xff));
    return out;
}

// Reads sizeof(T) bytes.
template <std::unsigned_integral T>
T load_le(const void* from) noexcept {
    T value;
    std::memcpy(&value, from, sizeof value);
    if constexpr (std::endian::native == std::endian::big)
        value = swap_bytes(value);
    return value;
}

// Writes sizeof(T) bytes.
template <std::unsigned_integral T>
void store_le(void* to, T value) noexcept {
    if constexpr (std::endian::native == std::endian::big)
        value = swap_bytes(value);
    std::memcpy(to, &value, sizeof value);
}

template <std::unsigned_integral T>
void append_le(std::vector<std::byte>& out, T value) {
    out.resize(out.size() + sizeof value);
    store_le(out.data() + out.size() - sizeof value, value);
}

}  // namespace fardel
