#include <fardel/base/clock.h>

#include "system_call_windows.h"

namespace fardel {

std::int64_t wall_clock_ns() noexcept {
    FILETIME now;
    ::GetSystemTimePreciseAsFileTime(&now);
    return file_time_ns(static_cast<std::int64_t>(std::uint64_t{now.dwHighDateTime} << 32 | now.dwLowDateTime));
}

}  // namespace fardel
