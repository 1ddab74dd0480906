// The times that the program needs besides system_now(). Libraries get the time as an argument.
#pragma once

#include <fardel/base/clock.h>
#include <fardel/base/result.h>

#include <string_view>

namespace fardel {

// The creation time for statements: SOURCE_DATE_EPOCH if it is set, so that builds can be reproduced; otherwise now.
// Error: malformed (SOURCE_DATE_EPOCH is not a number of seconds).
Result<UnixTime> creation_time();
// The same for documents that depend on their input alone: without SOURCE_DATE_EPOCH, the start of 1970.
Result<UnixTime> source_date();

// The start of a day such as "2027-12-31", in UTC, not before 1970. Error: malformed.
Result<UnixTime> parse_day(std::string_view text);

}  // namespace fardel
