#include <fardel/format/sha256.h>

#include <sodium.h>

#include <array>

namespace fardel {

struct Sha256Hasher::State {
    crypto_hash_sha256_state sodium;
};

Sha256Hasher::Sha256Hasher() : state_(std::make_unique<State>()) { crypto_hash_sha256_init(&state_->sodium); }
Sha256Hasher::~Sha256Hasher() = default;
Sha256Hasher::Sha256Hasher(Sha256Hasher&&) noexcept = default;
Sha256Hasher& Sha256Hasher::operator=(Sha256Hasher&&) noexcept = default;

void Sha256Hasher::update(std::span<const std::byte> bytes) {
    crypto_hash_sha256_update(&state_->sodium, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string Sha256Hasher::finish_hex() {
    std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
    crypto_hash_sha256_final(&state_->sodium, hash.data());
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : hash) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
    Sha256Hasher hasher;
    hasher.update(bytes);
    return hasher.finish_hex();
}

}  // namespace fardel
