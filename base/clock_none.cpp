#include <fardel/base/clock.h>

#include <algorithm>

namespace fardel {

std::int64_t wall_clock_ns() noexcept {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

UnixTime second_of(std::int64_t since_1970_ns) noexcept {
    return {static_cast<std::uint64_t>(std::max<std::int64_t>(since_1970_ns, 0)) / 1'000'000'000};
}

UnixTime system_now() noexcept { return second_of(wall_clock_ns()); }

}  // namespace fardel
