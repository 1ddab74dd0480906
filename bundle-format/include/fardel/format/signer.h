// Keys that sign, and the check of what they signed: Ed25519 (RFC 8032) as libsodium does it.
//
// SecretKey owns its bytes in locked memory and wipes them. Signer is the seam between what has to be signed and where
// the key lives: in this process, or in a program of the user's (a token, an agent, a CI service). One Signer, one
// thread at a time; SecretKey::sign and verify_signature from any number of threads.
#pragma once

#include <fardel/format/ids.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct Signature {
    std::array<std::uint8_t, 64> bytes{};

    friend bool operator==(const Signature&, const Signature&) = default;
    std::string hex() const;
    // Exactly 128 lower-case hexadecimal digits. Error: malformed.
    static Result<Signature> parse(std::string_view hex);
};

// Strict: S < L; R and key canonical and not of small order. docs/signatures.md, "Ed25519".
bool verify_signature(const PublicKey& key, std::span<const std::byte> message, const Signature& signature) noexcept;

// The first 16 digits of a key, for people to look at. Nothing accepts it: keys are compared whole.
std::string key_id(const PublicKey& key);

class SecretKey {
public:
    // `seed`: the RFC 8032 private key. The caller wipes its own copy.
    static SecretKey from_seed(std::span<const std::byte, 32> seed);
    // A new random key.
    static SecretKey generate();

    SecretKey(SecretKey&&) noexcept;
    SecretKey& operator=(SecretKey&&) noexcept;
    ~SecretKey();

    const PublicKey& public_key() const noexcept;
    Signature sign(std::span<const std::byte> message) const noexcept;

    // For the writer of key files. Valid as long as the key; copy it only to memory that is wiped.
    std::span<const std::byte, 32> seed() const noexcept;

private:
    struct Body;
    explicit SecretKey(std::unique_ptr<Body> body) noexcept;
    std::unique_ptr<Body> body_;
};

class Signer {
public:
    virtual ~Signer() = default;
    virtual PublicKey public_key() const = 0;
    // The signature verifies under public_key(), or there is an error.
    virtual Result<Signature> sign(std::span<const std::byte> message) = 0;
};

std::unique_ptr<Signer> make_key_signer(SecretKey key);

// Runs `argv` (no shell; argv[0] is looked up in PATH) for each signature: message on its standard input, 128
// hexadecimal digits and an optional line feed from its standard output; standard error is passed through. The
// signature is checked under `key` before anyone sees it.
// sign() errors: missing (no such program), denied (exit status other than 0), malformed (other output), corrupt (the
// signature is not one of `key`), unreachable (no answer within `timeout`; the program is killed), io.
std::unique_ptr<Signer> make_external_signer(std::vector<std::string> argv, const PublicKey& key,
                                             std::chrono::milliseconds timeout = std::chrono::minutes(2));

}  // namespace fardel
