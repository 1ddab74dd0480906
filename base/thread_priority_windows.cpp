#include <fardel/base/thread_priority.h>

#include "system_call_windows.h"

namespace fardel {

// The background mode lowers the priority of the thread's reads and writes, too. Threads that it starts do not inherit
// it.
void lower_thread_priority() noexcept { ::SetThreadPriority(::GetCurrentThread(), THREAD_MODE_BACKGROUND_BEGIN); }

}  // namespace fardel
