// Input: the lines of the head of an HTTP response. Values have no blanks around them, what is read is bounded, and a
// content range that is accepted lies inside its file. The whole input is parsed as a content range, too.
#include "require.h"
#include "response_head.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

using namespace fardel;

namespace {

void check_range(std::string_view text) {
    const auto range = find_content_range(text);
    if (!range)
        return;
    require(range->first <= range->last && range->last < range->total);
    const std::string formatted = "bytes " + std::to_string(range->first) + "-" + std::to_string(range->last) + "/" +
                                  std::to_string(range->total);
    require(formatted.size() <= text.size());  // numbers may have zeros in front
    const auto again = find_content_range(formatted);
    require(again && again->first == range->first && again->last == range->last && again->total == range->total);
}

void check_value(const std::string& value) {
    constexpr std::string_view kBlanks = " \t\r\n";
    require(value.empty() ||
            (kBlanks.find(value.front()) == kBlanks.npos && kBlanks.find(value.back()) == kBlanks.npos));
}

}  // namespace

int fuzz_http_response(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    check_range(text);
    ResponseHead head;
    std::uint64_t taken = 0;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
        text.remove_prefix(line.size());
        taken += line.size();
        const bool accepted = head.add_line(line);
        require(accepted == (taken <= kResponseHeadBytesMax));
        check_value(head.content_range());
        check_value(head.content_encoding());
        check_range(head.content_range());
    }
    return 0;
}
