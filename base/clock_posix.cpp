#include <fardel/base/clock.h>

#include "system_call.h"

namespace fardel {

std::int64_t wall_clock_ns() noexcept {
    struct timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return nanoseconds(now);
}

}  // namespace fardel
