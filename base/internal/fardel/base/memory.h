// Memory directly from the system: zeroed, in whole pages, and free of cost until it is touched. Secrets are erased.
#pragma once

#include <cstddef>
#include <span>

namespace fardel {

// Returns nullptr if the system has not enough address space. `size_bytes` ≥ 1.
std::byte* map_zeroed(std::size_t size_bytes) noexcept;
// `bytes` came from map_zeroed with this size, or is nullptr.
void unmap_zeroed(std::byte* bytes, std::size_t size_bytes) noexcept;

// For a program's start, where glibc allocates: a list above 1 MiB goes back to the system as soon as it is freed.
// Otherwise one of up to 32 MiB may stay with the program, and be of no use to longer ones.
void return_freed_lists() noexcept;

// Overwrites a secret; unlike memset(), also if nobody reads the bytes again.
void erase_secret(std::span<std::byte> secret) noexcept;

// Asks the processor to fetch the cache line of an address that will be read soon. A hint; not every compiler has it.
inline void prefetch_line([[maybe_unused]] const void* address) noexcept {
#ifdef __GNUC__
    __builtin_prefetch(address);
#endif
}

}  // namespace fardel
