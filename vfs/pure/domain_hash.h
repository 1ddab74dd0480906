// Hashes of pure mode: BLAKE3 over parts with length prefixes; the first part names the purpose.
#pragma once

#include <fardel/base/little_endian.h>
#include <fardel/format/hash.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace fardel {

inline std::array<std::byte, 8> le64(std::uint64_t number) {
    std::array<std::byte, 8> bytes{};
    store_le(bytes.data(), number);
    return bytes;
}

// BLAKE3-256 of: le64(size of domain), domain, le64(size of content), content.
inline Hash domain_hash(std::string_view domain, std::span<const std::byte> content) {
    Hasher hasher;
    hasher.update(le64(domain.size()));
    hasher.update(std::as_bytes(std::span(domain)));
    hasher.update(le64(content.size()));
    hasher.update(content);
    return hasher.finish();
}
inline Hash domain_hash(std::string_view domain, std::string_view content) {
    return domain_hash(domain, std::as_bytes(std::span(content)));
}
template <class Tag>
Hash domain_hash(std::string_view domain, const Id32<Tag>& content) {
    return domain_hash(domain, std::as_bytes(std::span(content.bytes)));
}

}  // namespace fardel
