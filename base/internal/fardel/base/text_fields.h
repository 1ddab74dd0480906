// Fields of a line of text: what stands before a separator, and decimal numbers. Independent of the locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace fardel {

// Returns the text before the next `separator`, or all of it, and removes both from `text`.
inline std::string_view take_until(std::string_view& text, char separator) {
    const std::size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return part;
}

// Returns the parts between separators: one more than there are separators.
inline std::vector<std::string_view> split_text(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = text.find(separator, at);
        parts.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
        at = end == std::string_view::npos ? text.size() + 1 : end + 1;
    }
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
