#include <fardel/base/threads.h>

#include "system_call_windows.h"

namespace fardel {

void wait_on_address(const void* address, const void* value, std::size_t bytes) noexcept {
    // The system reads both and changes neither; its types say nothing of that.
    ::WaitOnAddress(const_cast<void*>(address), const_cast<void*>(value), bytes, INFINITE);
}

void wake_by_address(void* address) noexcept { ::WakeByAddressAll(address); }

}  // namespace fardel
