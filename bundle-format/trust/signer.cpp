#include <fardel/format/signer.h>

#include "ids/hex.h"
#include "secrets/secure_memory.h"

#include <cassert>

namespace fardel {
namespace {

const unsigned char* as_sodium(std::span<const std::byte> bytes) noexcept {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

class KeySigner final : public Signer {
public:
    explicit KeySigner(SecretKey key) : key_(std::move(key)) {}
    PublicKey public_key() const override { return key_.public_key(); }
    Result<Signature> sign(std::span<const std::byte> message) override { return key_.sign(message); }

private:
    SecretKey key_;
};

}  // namespace

std::string Signature::hex() const { return encode_hex(std::as_bytes(std::span(bytes))); }

Result<Signature> Signature::parse(std::string_view hex) {
    Signature signature;
    if (!decode_hex(hex, std::as_writable_bytes(std::span(signature.bytes))))
        return Error(ErrorCode::malformed, "signature: not 128 lower-case hexadecimal digits");
    return signature;
}

bool verify_signature(const PublicKey& key, std::span<const std::byte> message, const Signature& signature) noexcept {
    return crypto_sign_verify_detached(signature.bytes.data(), as_sodium(message), message.size(), key.bytes.data()) ==
           0;
}

std::string key_id(const PublicKey& key) { return key.hex().substr(0, 16); }

struct SecretKey::Body {
    SecureBytes secret{crypto_sign_SECRETKEYBYTES};  // seed, then public key
    PublicKey public_key;
};

SecretKey::SecretKey(std::unique_ptr<Body> body) noexcept : body_(std::move(body)) {}
SecretKey::SecretKey(SecretKey&&) noexcept = default;
SecretKey& SecretKey::operator=(SecretKey&&) noexcept = default;
SecretKey::~SecretKey() = default;

SecretKey SecretKey::from_seed(std::span<const std::byte, 32> seed) {
    auto body = std::make_unique<Body>();
    crypto_sign_seed_keypair(body->public_key.bytes.data(), body->secret.data(), as_sodium(seed));
    return SecretKey(std::move(body));
}

SecretKey SecretKey::generate() {
    auto body = std::make_unique<Body>();
    crypto_sign_keypair(body->public_key.bytes.data(), body->secret.data());
    return SecretKey(std::move(body));
}

const PublicKey& SecretKey::public_key() const noexcept {
    assert(body_);
    return body_->public_key;
}

Signature SecretKey::sign(std::span<const std::byte> message) const noexcept {
    assert(body_);
    Signature signature;
    crypto_sign_detached(signature.bytes.data(), nullptr, as_sodium(message), message.size(), body_->secret.data());
    return signature;
}

std::span<const std::byte, 32> SecretKey::seed() const noexcept {
    assert(body_);
    return body_->secret.bytes().first<32>();
}

std::unique_ptr<Signer> make_key_signer(SecretKey key) { return std::make_unique<KeySigner>(std::move(key)); }

}  // namespace fardel
