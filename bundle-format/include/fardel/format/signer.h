// Ed25519 signatures (RFC 8032): keys that sign, and verification. libsodium computes them.
//
// SecretKey owns its bytes in locked memory and wipes them. Signer separates code that needs a signature from the
// location of the key: this process, or a program that the user provides (a token, an agent, a CI service). A Signer is
// used by one thread at a time; SecretKey::sign and verify_signature by any number of threads.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
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

// Strict: S < L; R and the key are canonical and not of small order. docs/signatures.md, "Ed25519".
bool verify_signature(const PublicKey& key, std::span<const std::byte> message, const Signature& signature) noexcept;

// Returns the first 16 digits of a key, for display only: keys are always compared whole.
std::string key_id(const PublicKey& key);

class SecretKey {
public:
    // `seed`: the RFC 8032 private key. The caller wipes its own copy.
    static SecretKey from_seed(std::span<const std::byte, 32> seed);
    // Returns a new random key.
    static SecretKey generate();

    SecretKey(SecretKey&&) noexcept;
    SecretKey& operator=(SecretKey&&) noexcept;
    ~SecretKey();

    const PublicKey& public_key() const noexcept;
    Signature sign(std::span<const std::byte> message) const noexcept;

    // For writing key files. The view lives as long as the key; copy it only to memory that is wiped.
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
    // Returns a signature that verifies under public_key(), or an error.
    virtual Result<Signature> sign(std::span<const std::byte> message) = 0;
};

std::unique_ptr<Signer> make_key_signer(SecretKey key);

// Runs `argv` (no shell; argv[0] is looked up in PATH) for each signature. The message is its standard input; its
// standard output is 128 hexadecimal digits and an optional line feed; its standard error is passed through. The
// signature is verified under `key` before it is returned. Errors of sign(): missing (no such program), denied (exit
// status other than 0), malformed (other output), corrupt (the signature does not verify under `key`), unreachable (no
// answer within `timeout`; the program is killed), io.
std::unique_ptr<Signer> make_external_signer(std::vector<std::string> argv, const PublicKey& key,
                                             std::chrono::milliseconds timeout = std::chrono::minutes(2));

// ---- Keys from files ------------------------------------------------------------------------------------------------

// Called at most once, and only if a file needs it; its error (cancelled, missing, …) is passed on. The text is wiped
// after use.
using PassphraseProvider = std::function<Result<std::string>()>;

struct PublicKeyFile {
    PublicKey key;
    std::string comment;  // untrusted; pass it through printable() before showing it
};

// Reads a secret key file of Fardel or minisign. Errors: missing, denied (a link, readable by group or others, a wrong
// passphrase), malformed, unsupported, corrupt (secret and public key do not belong together), limit, io, and those of
// `passphrase`.
Result<SecretKey> read_key_file(const std::string& path, const PassphraseProvider& passphrase);

// Reads a public key file, which may be a link and readable by all. Errors: missing, denied, malformed, unsupported,
// limit, io.
Result<PublicKeyFile> read_public_key_file(const std::string& path);

}  // namespace fardel
