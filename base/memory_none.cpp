#include <fardel/base/memory.h>

#include <cstdlib>

namespace fardel {

// Large blocks come from the system, which gives zeroed pages that cost nothing until they are touched.
std::byte* map_zeroed(std::size_t size_bytes) noexcept { return static_cast<std::byte*>(std::calloc(size_bytes, 1)); }

void unmap_zeroed(std::byte* bytes, std::size_t) noexcept { std::free(bytes); }

void return_freed_lists() noexcept {}

// A compiler keeps each write to what is volatile.
void erase_secret(std::span<std::byte> secret) noexcept {
    for (volatile std::byte& byte : secret)
        byte = std::byte{0};
}

}  // namespace fardel
