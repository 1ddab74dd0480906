#include <fardel/base/thread_priority.h>

#include <sys/resource.h>

namespace fardel {

void lower_thread_priority() noexcept {
    constexpr int kLowest = 19;
    static_cast<void>(::setpriority(PRIO_PROCESS, 0, kLowest));  // 0: the calling thread, on Linux
}

}  // namespace fardel
