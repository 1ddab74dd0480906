#include <fardel/base/core_number.h>

#include "system_call_windows.h"

#include <algorithm>
#include <thread>

namespace fardel {

std::size_t core_number() noexcept { return ::GetCurrentProcessorNumber(); }

std::size_t core_slots() noexcept { return std::max(std::thread::hardware_concurrency(), 1u); }

}  // namespace fardel
