#include <fardel/base/machine_memory.h>

#include "system_call_windows.h"

namespace fardel {

std::optional<std::uint64_t> find_machine_memory() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    if (!::GlobalMemoryStatusEx(&status))
        return std::nullopt;
    return status.ullTotalPhys;
}

}  // namespace fardel
