// The clocks of the system. Only the edges of Fardel read them; everything else gets the time as an argument.
#pragma once

#include <fardel/base/unix_time.h>

#include <chrono>
#include <cstdint>
#include <functional>

namespace fardel {

using SteadyClock = std::chrono::steady_clock;
using SteadyTime = SteadyClock::time_point;
using Clock = std::function<UnixTime()>;

// Returns nanoseconds since 1970, by the clock that file systems use for timestamps.
std::int64_t wall_clock_ns() noexcept;

// Returns the second of a time of wall_clock_ns() or of a file; the start of 1970 for times before it.
UnixTime second_of(std::int64_t since_1970_ns) noexcept;
UnixTime system_now() noexcept;

// Returns the time left as a timeout for poll(2): at least 0, rounded up, at most some days.
int milliseconds_until(SteadyTime deadline) noexcept;

}  // namespace fardel
