#include <fardel/base/core_number.h>

#include <sched.h>

#include <algorithm>
#include <thread>

namespace fardel {

std::size_t core_number() noexcept {
    const int core = ::sched_getcpu();
    return core < 0 ? 0 : static_cast<std::size_t>(core);
}

std::size_t core_slots() noexcept { return std::max(std::thread::hardware_concurrency(), 1u); }

}  // namespace fardel
