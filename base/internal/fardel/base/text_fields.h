// Lines and fields of a text: what stands before a separator, and decimal numbers. Independent of the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fardel {

inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Returns the text before the next `separator`, or all of it, and removes both from `text`.
inline std::string_view read_until(std::string_view& text, char separator) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

// The same if there is a separator; otherwise returns nothing, and `text` is unchanged.
inline std::optional<std::string_view> read_terminated(std::string_view& text, char separator) {
    return text.find(separator) != std::string_view::npos ? std::optional(read_until(text, separator)) : std::nullopt;
}

// Returns the next line without its end, which may be that of Windows, and removes both from `text`.
inline std::string_view read_line(std::string_view& text) {
    std::string_view line = read_until(text, '\n');
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

// Returns the text with each line end of Windows as a line feed.
inline std::string with_line_feeds(std::string_view text) {
    std::string unified;
    unified.reserve(text.size());
    while (const auto line = read_terminated(text, '\n')) {
        unified += line->ends_with('\r') ? line->substr(0, line->size() - 1) : *line;
        unified += '\n';
    }
    return unified.append(text);
}

// Returns the text without the characters of `spaces` at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view spaces = " ") {
    const std::size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// Returns the parts between separators: one more than there are separators.
inline std::vector<std::string_view> split_text(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (const auto part = read_terminated(text, separator))
        parts.push_back(*part);
    parts.push_back(text);
    return parts;
}

// Returns the number that all of `text` is: decimal, without a sign and without zeros in front, at most `max`.
inline std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t max) {
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size() || (text.size() > 1 && text[0] == '0') ||
        number > max)
        return std::nullopt;
    return number;
}

}  // namespace fardel
