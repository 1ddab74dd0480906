// Memory straight from the system: zeroed, in whole pages, and without cost for what is never touched.
#pragma once

#include <cstddef>

namespace fardel {

// nullptr: the system has not as much address space. `size_bytes` ≥ 1.
std::byte* map_zeroed(std::size_t size_bytes) noexcept;
// `bytes` came from map_zeroed with this size, or is nullptr.
void unmap_zeroed(std::byte* bytes, std::size_t size_bytes) noexcept;

}  // namespace fardel
