#include <fardel/base/clock.h>

#include <algorithm>

namespace fardel {

UnixTime second_of(std::int64_t since_1970_ns) noexcept {
    return {static_cast<std::uint64_t>(std::max<std::int64_t>(since_1970_ns, 0)) / 1'000'000'000};
}

UnixTime system_now() noexcept { return second_of(wall_clock_ns()); }

int milliseconds_until(SteadyTime deadline) noexcept {
    using namespace std::chrono;
    const auto left = ceil<milliseconds>(deadline - steady_clock::now()).count();
    return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000'000));
}

}  // namespace fardel
