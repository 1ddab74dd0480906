#include <fardel/base/core_number.h>

#include <algorithm>
#include <functional>
#include <thread>

namespace fardel {

// A thread keeps its slot, whichever core runs it.
std::size_t core_number() noexcept { return std::hash<std::thread::id>{}(std::this_thread::get_id()); }

std::size_t core_slots() noexcept { return std::max(std::thread::hardware_concurrency(), 1u); }

}  // namespace fardel
