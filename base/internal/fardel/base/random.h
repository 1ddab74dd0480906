// Unpredictable bytes from the operating system, for nonces. Any thread.
#pragma once

#include <cstddef>
#include <span>

namespace fardel {

void fill_random(std::span<std::byte> out) noexcept;

}  // namespace fardel
