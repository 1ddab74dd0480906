#include "page_proof.h"

#include <fardel/base/little_endian.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace fardel {
namespace {

constexpr std::string_view kKeyStart = "FARDELPG";

}  // namespace

Hash page_proof(TableKind kind, std::uint32_t level, std::uint64_t page, std::uint64_t table_bytes,
                std::span<const std::byte> bytes) noexcept {
    std::array<std::byte, 32> key{};
    std::ranges::copy(std::as_bytes(std::span(kKeyStart)), key.begin());
    store_le(&key[8], static_cast<std::uint32_t>(kind));
    store_le(&key[12], level);
    store_le(&key[16], page);
    store_le(&key[24], table_bytes);
    return blake3_keyed(key, bytes);
}

}  // namespace fardel
