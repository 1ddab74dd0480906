#include "clock.h"

#include "figures.h"

#include <chrono>
#include <cstdlib>

namespace fardel {

namespace {

// SOURCE_DATE_EPOCH, or this time if it is not set.
Result<UnixTime> source_date_or(UnixTime unset) {
    const char* const wanted = std::getenv("SOURCE_DATE_EPOCH");
    if (wanted == nullptr || *wanted == '\0')
        return unset;
    constexpr std::uint64_t kSecondsMax = 253'402'300'799;  // the year 9999
    const auto number = find_number(wanted);
    if (!number || *number > kSecondsMax)
        return Error(ErrorCode::malformed,
                     "SOURCE_DATE_EPOCH is \"" + std::string(wanted) + "\"; it must be a number of seconds since 1970");
    return UnixTime{*number};
}

}  // namespace

Result<UnixTime> creation_time() { return source_date_or(system_now()); }

Result<UnixTime> source_date() { return source_date_or({}); }

Result<UnixTime> parse_day(std::string_view text) {
    using namespace std::chrono;
    const bool shaped = text.size() == 10 && text[4] == '-' && text[7] == '-';
    const auto y = shaped ? find_number(text.substr(0, 4)) : std::nullopt;
    const auto m = shaped ? find_number(text.substr(5, 2)) : std::nullopt;
    const auto d = shaped ? find_number(text.substr(8, 2)) : std::nullopt;
    const year_month_day date(year(static_cast<int>(y.value_or(0))), month(static_cast<unsigned>(m.value_or(0))),
                              day(static_cast<unsigned>(d.value_or(0))));
    if (!y || !m || !d || !date.ok() || date.year() < year(1970))
        return Error(ErrorCode::malformed, "\"" + std::string(text) + "\" is not a day; write it as 2027-12-31");
    return UnixTime{static_cast<std::uint64_t>(sys_seconds(sys_days(date)).time_since_epoch().count())};
}

}  // namespace fardel
