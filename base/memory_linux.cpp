#include <fardel/base/memory.h>

#include <malloc.h>
#include <string.h>
#include <sys/mman.h>

namespace fardel {

std::byte* map_zeroed(std::size_t size_bytes) noexcept {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const mapped = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

void unmap_zeroed(std::byte* bytes, std::size_t size_bytes) noexcept {
    if (bytes != nullptr)
        ::munmap(bytes, size_bytes);
}

void return_freed_lists() noexcept {
#ifdef __GLIBC__
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);  // glibc raises it with each freed list unless it is set
#endif
}

void erase_secret(std::span<std::byte> secret) noexcept { ::explicit_bzero(secret.data(), secret.size()); }

}  // namespace fardel
