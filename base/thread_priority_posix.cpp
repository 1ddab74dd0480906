#include <fardel/base/thread_priority.h>

#if defined(__linux__)
#include <sys/resource.h>
#endif

namespace fardel {

void lower_thread_priority() noexcept {
#if defined(__linux__)
    constexpr int kLowest = 19;
    static_cast<void>(::setpriority(PRIO_PROCESS, 0, kLowest));  // 0: the calling thread, on Linux
#endif
}

}  // namespace fardel
