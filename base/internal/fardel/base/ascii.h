// ASCII: classes of characters, lower case, and two kinds of short text that several documents define. Independent of
// the locale. Bytes from 0x80 on belong to no class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace fardel {

constexpr bool is_ascii_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_letter(char c) noexcept { return is_ascii_lower(c) || is_ascii_upper(c); }
constexpr bool is_ascii_letter_or_digit(char c) noexcept { return is_ascii_letter(c) || is_ascii_digit(c); }
// Whether `c` is a space or one of C's five control characters for space: tab, line feed, vertical tab, form feed,
// carriage return.
constexpr bool is_ascii_space(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr char lower_ascii(char c) noexcept { return is_ascii_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
inline std::string lower_ascii_text(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), lower_ascii);
    return lower;
}

// An axis or value of a tag is a word: 1 to 255 letters, digits and - _ . + (docs/bundle-format.md, "tags").
inline constexpr std::size_t kWordBytesMax = 255;
constexpr bool is_word_character(char c) noexcept {
    return is_ascii_letter_or_digit(c) || c == '-' || c == '_' || c == '.' || c == '+';
}
constexpr bool is_word(std::string_view text) noexcept {
    return !text.empty() && text.size() <= kWordBytesMax && std::ranges::all_of(text, is_word_character);
}

// The version of a bundle: at most 64 letters, digits and . + - _ ~; it may be empty.
inline constexpr std::size_t kVersionTextBytesMax = 64;
constexpr bool is_version_character(char c) noexcept { return is_word_character(c) || c == '~'; }
constexpr bool is_version(std::string_view text) noexcept {
    return text.size() <= kVersionTextBytesMax && std::ranges::all_of(text, is_version_character);
}

}  // namespace fardel
