#include <fardel/format/sha256.h>

#include <sodium.h>

#include <array>

namespace fardel {

std::string sha256_hex(std::span<const std::byte> bytes) {
    std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
    crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : hash) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

}  // namespace fardel
