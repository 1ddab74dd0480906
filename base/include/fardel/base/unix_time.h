// UnixTime: a moment in whole seconds since 1970, UTC, as signatures, files and rules state it.
//
// Every value is a moment; where there may be none, there is a std::optional. A duration is an integer of seconds. Sums
// and differences stay in range: they end at 0 and at 2^64-1.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

namespace fardel {

struct UnixTime {
    std::uint64_t seconds = 0;

    friend auto operator<=>(const UnixTime&, const UnixTime&) = default;
};

constexpr UnixTime operator+(UnixTime time, std::uint64_t seconds) noexcept {
    return {time.seconds + std::min(seconds, UINT64_MAX - time.seconds)};
}
constexpr UnixTime operator-(UnixTime time, std::uint64_t seconds) noexcept {
    return {time.seconds - std::min(seconds, time.seconds)};
}
// 0 if `time` is not later than `earlier`.
constexpr std::uint64_t operator-(UnixTime time, UnixTime earlier) noexcept { return (time - earlier.seconds).seconds; }

// Without a date, never; without `now`, dates are ignored.
constexpr bool has_passed(std::optional<UnixTime> date, std::optional<UnixTime> now) noexcept {
    return date && now && *date <= *now;
}

}  // namespace fardel
