// The priority of the calling thread.
#pragma once

namespace fardel {

// Lets all other work of the machine go first. Threads that this one starts from now on do the same. Does nothing where
// the system cannot do it for one thread.
void lower_thread_priority() noexcept;

}  // namespace fardel
