// Numbers of bytes as people write and read them, with powers of 1000. Independent of the locale.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace fardel {

// "732 B", "14.2 kB", "1.3 GB".
inline std::string format_size(std::uint64_t bytes) {
    constexpr std::array kUnits = {" kB", " MB", " GB", " TB", " PB", " EB"};
    if (bytes < 1000)
        return std::to_string(bytes) + " B";
    double size = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    while (size >= 999.95 && unit + 1 < kUnits.size()) {
        size /= 1000;
        ++unit;
    }
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, std::chars_format::fixed, 1);
    return std::string(digits.data(), end.ptr) + kUnits[unit];
}

// The number that decimal digits alone spell; nothing for another text.
inline std::optional<std::uint64_t> find_number(std::string_view digits) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return failure == std::errc() && end == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

// Reads "20G", "500M" or "200000"; nothing for a text that is not a size.
inline std::optional<std::uint64_t> find_size(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    std::uint64_t factor = 1;
    if (!text.empty()) {
        const auto unit = kUnits.find(text.back() >= 'a' ? static_cast<char>(text.back() - 'a' + 'A') : text.back());
        if (unit != kUnits.npos) {
            text.remove_suffix(1);
            for (std::size_t i = 0; i <= unit; ++i)
                factor *= 1000;
        }
    }
    const auto number = find_number(text);
    return number && *number <= UINT64_MAX / factor ? std::optional(*number * factor) : std::nullopt;
}

}  // namespace fardel
