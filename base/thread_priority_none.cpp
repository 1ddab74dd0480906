#include <fardel/base/thread_priority.h>

namespace fardel {

void lower_thread_priority() noexcept {}  // POSIX has priorities of processes

}  // namespace fardel
