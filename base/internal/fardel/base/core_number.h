// The core that runs the calling thread, by which threads spread over slots of a shared table.
#pragma once

#include <cstddef>

namespace fardel {

// A hint: the thread may be moved to another core before the call returns. Costs some nanoseconds.
std::size_t core_number() noexcept;
// How many slots suffice for every core to have one; at least 1.
std::size_t core_slots() noexcept;

}  // namespace fardel
