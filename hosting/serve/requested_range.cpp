#include "serve/requested_range.h"

#include <algorithm>
#include <charconv>

namespace fardel {
namespace {

std::string_view without_spaces(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Too large numbers count as the largest one: a range may end far behind the file.
std::optional<std::uint64_t> find_position(std::string_view digits) {
    if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::uint64_t number = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return result.ec == std::errc() ? number : UINT64_MAX;
}

// Weak comparison, as If-None-Match needs it.
bool names_etag(std::string_view list, std::string_view etag) {
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        std::string_view one = without_spaces(list.substr(0, comma));
        if (one.starts_with("W/"))
            one.remove_prefix(2);
        if (one == etag || one == "*")
            return true;
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

// Nothing: the header has no meaning.
std::optional<RequestedRange> find_part(std::string_view text, std::uint64_t file_bytes) {
    constexpr std::string_view kUnit = "bytes=";
    constexpr RequestedRange kUnsatisfiable{.answer = RangeAnswer::unsatisfiable};
    if (!text.starts_with(kUnit))
        return std::nullopt;
    text = without_spaces(text.substr(kUnit.size()));
    const auto minus = text.find('-');
    if (minus == std::string_view::npos)
        return std::nullopt;
    const std::string_view left = text.substr(0, minus);
    const std::string_view right = text.substr(minus + 1);
    const auto first = find_position(left);
    const auto last = find_position(right);
    if ((!left.empty() && !first) || (!right.empty() && !last) || (left.empty() && right.empty()))
        return std::nullopt;
    if (!first) {  // the last bytes of the file
        const std::uint64_t length = std::min(*last, file_bytes);
        return length == 0 ? kUnsatisfiable : RequestedRange{RangeAnswer::part, file_bytes - length, length};
    }
    if (last && *last < *first)
        return std::nullopt;
    if (*first >= file_bytes)
        return kUnsatisfiable;
    const std::uint64_t end = last ? std::min(*last, file_bytes - 1) : file_bytes - 1;
    return RequestedRange{RangeAnswer::part, *first, end - *first + 1};
}

}  // namespace

RequestedRange find_requested_range(const RangeHeaders& headers, std::uint64_t file_bytes, std::string_view etag) {
    if (names_etag(headers.if_none_match, etag))
        return {.answer = RangeAnswer::not_modified};
    const RequestedRange whole{.answer = RangeAnswer::whole, .length_bytes = file_bytes};
    if (headers.range.empty() || (!headers.if_range.empty() && without_spaces(headers.if_range) != etag))
        return whole;
    return find_part(without_spaces(headers.range), file_bytes).value_or(whole);
}

}  // namespace fardel
