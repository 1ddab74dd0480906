// The two times that the program needs; nothing below cli/ asks a clock.
#pragma once

#include <fardel/format/result.h>

#include <cstdint>
#include <string_view>

namespace fardel {

// Unix seconds.
std::uint64_t now_s() noexcept;

// What a statement says when it was made: SOURCE_DATE_EPOCH where that is set, so that builds can be repeated; else
// now. Error: malformed (SOURCE_DATE_EPOCH is not a number of seconds).
Result<std::uint64_t> created_s();

// The start of a day, "2027-12-31", UTC, not before 1970. Error: malformed.
Result<std::uint64_t> parse_day(std::string_view text);

}  // namespace fardel
