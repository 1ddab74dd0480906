// The clocks of the system. Time is an argument of everything above: only the edges of Fardel ask.
#pragma once

#include <chrono>
#include <cstdint>

namespace fardel {

using SteadyTime = std::chrono::steady_clock::time_point;

// Nanoseconds since 1970, by the clock that file systems stamp files with.
std::int64_t wall_clock_ns() noexcept;

// As poll(2) wants it: at least 0, rounded up, at most some days.
int milliseconds_until(SteadyTime deadline) noexcept;

}  // namespace fardel
