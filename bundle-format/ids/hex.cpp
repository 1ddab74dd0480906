#include "hex.h"

namespace fardel {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

std::string encode_hex(std::span<const std::byte> bytes) {
    std::string hex;
    hex.reserve(2 * bytes.size());
    for (const std::byte byte : bytes) {
        hex += kDigits[std::to_integer<std::size_t>(byte >> 4)];
        hex += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
    }
    return hex;
}

bool decode_hex(std::string_view hex, std::span<std::byte> out) noexcept {
    if (hex.size() != 2 * out.size() || hex.find_first_not_of(kDigits) != std::string_view::npos)
        return false;
    const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::byte>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return true;
}

}  // namespace fardel
