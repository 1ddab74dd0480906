// Words of eight characters, in which names are read, lower-cased and hashed. Little-endian on every machine.
#pragma once

#include <fardel/base/ascii.h>
#include <fardel/base/little_endian.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fardel {

inline constexpr std::uint64_t kEachByte = 0x0101'0101'0101'0101;

// Whether all eight bytes are ASCII.
constexpr bool is_ascii_word(std::uint64_t word) noexcept { return (word & (kEachByte * 0x80)) == 0; }

// Returns the word with 'A'…'Z' changed to 'a'…'z'. All bytes must be ASCII, so no sum carries into its neighbour.
constexpr std::uint64_t lower_ascii_word(std::uint64_t word) noexcept {
    const std::uint64_t from_a = word + kEachByte * (0x80 - 'A');    // high bit where byte >= 'A'
    const std::uint64_t after_z = word + kEachByte * (0x7f - 'Z');   // high bit where byte > 'Z'
    return word | (((from_a ^ after_z) & (kEachByte * 0x80)) >> 2);  // 0x80 >> 2 == 'a' - 'A'
}

// Returns the 8 bytes at `at`.
inline std::uint64_t read_word(const char* at) noexcept { return load_le<std::uint64_t>(at); }

// Returns the 0 to 7 bytes at `at`, followed by zeros. Overlapping reads put equal bytes at equal positions.
inline std::uint64_t read_part_word(const char* at, std::size_t size_bytes) noexcept {
    const auto byte = [at](std::size_t i) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << 8 * i;
    };
    if (size_bytes >= 4) {
        const std::size_t last = size_bytes - 4;
        return load_le<std::uint32_t>(at) | static_cast<std::uint64_t>(load_le<std::uint32_t>(at + last)) << 8 * last;
    }
    if (size_bytes == 0)
        return 0;
    return byte(0) | byte(size_bytes / 2) | byte(size_bytes - 1);
}

// Whether two texts of one length are equal. Inline, because a call would cost more than the comparison.
[[gnu::always_inline]] inline bool is_equal(const char* a, const char* b, std::size_t size_bytes) noexcept {
    const auto differ = [a, b](std::size_t at) { return read_word(a + at) ^ read_word(b + at); };
    if (size_bytes < 8)
        return read_part_word(a, size_bytes) == read_part_word(b, size_bytes);
    if (size_bytes < 16)
        return (differ(0) | differ(size_bytes - 8)) == 0;
    const std::size_t last = size_bytes - 16;
    for (std::size_t at = 0; at < last; at += 16)
        if ((differ(at) | differ(at + 8)) != 0)
            return false;
    return (differ(last) | differ(last + 8)) == 0;
}

inline bool is_ascii(std::string_view text) noexcept {
    std::uint64_t seen = 0;
    while (text.size() >= 8) {
        seen |= read_word(text.data());
        text.remove_prefix(8);
    }
    return is_ascii_word(seen | read_part_word(text.data(), text.size()));
}

}  // namespace fardel
