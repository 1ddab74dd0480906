// The core that runs the calling thread; threads use it to spread over the slots of a shared table.
#pragma once

#include <cstddef>

namespace fardel {

// A hint: the thread may be moved to another core before the call returns. Takes a few nanoseconds.
std::size_t core_number() noexcept;
// Returns the number of slots that gives every core its own; at least 1.
std::size_t core_slots() noexcept;

}  // namespace fardel
