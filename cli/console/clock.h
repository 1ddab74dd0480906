// The two times that the program needs. Only cli/ reads the clock; libraries get the time as an argument.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <string_view>

namespace fardel {

// Unix seconds.
std::uint64_t now_s() noexcept;

// The creation time for statements: SOURCE_DATE_EPOCH if it is set, so that builds can be reproduced; otherwise now.
// Error: malformed (SOURCE_DATE_EPOCH is not a number of seconds).
Result<std::uint64_t> created_s();

// The start of a day such as "2027-12-31", in UTC, not before 1970. Error: malformed.
Result<std::uint64_t> parse_day(std::string_view text);

}  // namespace fardel
