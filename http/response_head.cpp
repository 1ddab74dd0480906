#include "response_head.h"

#include <fardel/base/ascii.h>

#include <charconv>
#include <system_error>

namespace fardel {
namespace {

// Reads a decimal number from the front of the text.
std::optional<std::uint64_t> cut_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

// `name`: in lower case, with its colon.
void read_field(std::string_view line, std::string_view name, std::string& value) {
    if (lower_ascii_text(line.substr(0, name.size())) != name)
        return;
    line.remove_prefix(name.size());
    const auto first = line.find_first_not_of(" \t\r\n");
    const auto last = line.find_last_not_of(" \t\r\n");
    value = first == line.npos ? "" : line.substr(first, last - first + 1);
}

}  // namespace

bool ResponseHead::add_line(std::string_view line) {
    bytes_ += line.size();
    if (bytes_ > kResponseHeadBytesMax)
        return false;
    if (line.starts_with("HTTP/")) {
        content_range_.clear();
        content_encoding_.clear();
        retry_after_.clear();
        etag_.clear();
        location_.clear();
        content_type_.clear();
        blake3_.clear();
    }
    read_field(line, "content-range:", content_range_);
    read_field(line, "content-encoding:", content_encoding_);
    read_field(line, "retry-after:", retry_after_);
    read_field(line, "etag:", etag_);
    read_field(line, "location:", location_);
    read_field(line, "content-type:", content_type_);
    read_field(line, "x-amz-meta-fardel-blake3:", blake3_);
    return true;
}

std::optional<std::chrono::seconds> find_retry_after(std::string_view text, std::chrono::seconds max) {
    if (text.empty() || text.find_first_not_of("0123456789") != text.npos)
        return std::nullopt;
    const auto seconds = cut_number(text);  // nothing: more than 64 bits
    if (!seconds || *seconds > static_cast<std::uint64_t>(max.count()))
        return max;
    return std::chrono::seconds(*seconds);
}

std::optional<ContentRange> find_content_range(std::string_view text) {
    const auto cut = [&text](std::string_view start) {
        const bool there = text.starts_with(start);
        text.remove_prefix(there ? start.size() : 0);
        return there;
    };
    if (!cut("bytes "))
        return std::nullopt;
    const auto first = cut_number(text);
    if (!first || !cut("-"))
        return std::nullopt;
    const auto last = cut_number(text);
    if (!last || !cut("/"))
        return std::nullopt;
    const auto total = cut_number(text);
    if (!total || !text.empty() || *last < *first || *last >= *total)
        return std::nullopt;
    return ContentRange{*first, *last, *total};
}

}  // namespace fardel
