#include <fardel/base/memory.h>

#include "system_call_windows.h"

namespace fardel {

std::byte* map_zeroed(std::size_t size_bytes) noexcept {
    return static_cast<std::byte*>(::VirtualAlloc(nullptr, size_bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
}

void unmap_zeroed(std::byte* bytes, std::size_t) noexcept {
    if (bytes != nullptr)
        ::VirtualFree(bytes, 0, MEM_RELEASE);
}

void return_freed_lists() noexcept {}

void erase_secret(std::span<std::byte> secret) noexcept { ::SecureZeroMemory(secret.data(), secret.size()); }

}  // namespace fardel
