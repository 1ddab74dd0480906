// Which part of a file a request asks for, and whether the client has it already (RFC 9110, 13 and 14). The headers are
// untrusted; what does not have the right form counts as left out, as the RFC demands. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fardel {

// The headers of a request; empty: left out.
struct RangeHeaders {
    std::string_view range;
    std::string_view if_range;
    std::string_view if_none_match;
};

enum class RangeAnswer : unsigned char { whole, part, unsatisfiable, not_modified };

struct RequestedRange {
    RangeAnswer answer = RangeAnswer::whole;
    std::uint64_t offset = 0;
    std::uint64_t length_bytes = 0;  // 0 unless `answer` is whole or part
};

// `etag`: with its quotes. Several ranges in one request are answered with the whole file.
RequestedRange find_requested_range(const RangeHeaders& headers, std::uint64_t file_bytes, std::string_view etag);

}  // namespace fardel
