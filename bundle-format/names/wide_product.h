// The 128-bit product of two 64-bit numbers, folded to 64: high half XOR low half. The mixing step of the name hash.
#pragma once

#include <cstdint>

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
#include <intrin.h>
#endif

namespace fardel {

// For compilers without a 128-bit product; always compiled, so that it is always tested.
constexpr std::uint64_t folded_product_portable(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t a_low = a & 0xffff'ffff, a_high = a >> 32;
    const std::uint64_t b_low = b & 0xffff'ffff, b_high = b >> 32;
    const std::uint64_t low = a_low * b_low;
    const std::uint64_t middle = a_high * b_low + (low >> 32);  // cannot overflow: (2^32-1)^2 + 2^32-1 < 2^64
    const std::uint64_t other = a_low * b_high + (middle & 0xffff'ffff);
    const std::uint64_t high = a_high * b_high + (middle >> 32) + (other >> 32);
    return high ^ (a * b);
}

inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) noexcept {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    return __umulh(a, b) ^ (a * b);
#else
    return folded_product_portable(a, b);
#endif
}

}  // namespace fardel
