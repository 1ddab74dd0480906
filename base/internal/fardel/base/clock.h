// The clocks of the system. Only the edges of Fardel read them; everything else gets the time as an argument.
#pragma once

#include <chrono>
#include <cstdint>

namespace fardel {

using SteadyTime = std::chrono::steady_clock::time_point;

// Returns nanoseconds since 1970, by the clock that file systems use for timestamps.
std::int64_t wall_clock_ns() noexcept;

// Returns the time left as a timeout for poll(2): at least 0, rounded up, at most some days.
int milliseconds_until(SteadyTime deadline) noexcept;

}  // namespace fardel
