#include <fardel/base/core_number.h>

#include <algorithm>
#include <functional>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace fardel {

std::size_t core_number() noexcept {
#if defined(__linux__)
    if (const int core = ::sched_getcpu(); core >= 0)
        return static_cast<std::size_t>(core);
#endif
    return std::hash<std::thread::id>{}(std::this_thread::get_id());
}

std::size_t core_slots() noexcept { return std::max(std::thread::hardware_concurrency(), 1u); }

}  // namespace fardel
