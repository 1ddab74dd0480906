// Memory directly from the system: zeroed, in whole pages, and free of cost until it is touched.
#pragma once

#include <cstddef>

namespace fardel {

// Returns nullptr if the system has not enough address space. `size_bytes` ≥ 1.
std::byte* map_zeroed(std::size_t size_bytes) noexcept;
// `bytes` came from map_zeroed with this size, or is nullptr.
void unmap_zeroed(std::byte* bytes, std::size_t size_bytes) noexcept;

}  // namespace fardel
