// SHA-256, for what other systems demand it for: requests to object stores are signed over it. Fardel's own ids and
// hashes are BLAKE3.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fardel {

// Returns 64 hexadecimal digits, as `sha256sum` prints them.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace fardel
