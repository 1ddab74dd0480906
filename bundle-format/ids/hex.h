// Hexadecimal digits of bytes, in lower case.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

std::string encode_hex(std::span<const std::byte> bytes);
// Reads exactly 2 × out.size() lower-case digits; otherwise returns false and leaves `out` as it is.
bool decode_hex(std::string_view hex, std::span<std::byte> out) noexcept;

}  // namespace fardel
