#include <fardel/format/key_file.h>

#include "files/small_file.h"
#include "ids/hex.h"
#include "minisign.h"
#include "names/unicode.h"
#include "secrets/secure_memory.h"

#include <fardel/base/text_fields.h>
#include <fardel/format/limits.h>

#include <array>
#include <charconv>

namespace fardel {
namespace {

constexpr std::string_view kSecretTitle = "fardel-secret-key ";
constexpr std::string_view kPublicTitle = "fardel-public-key ";
constexpr std::string_view kKeyFileVersion = "1";
constexpr std::size_t kSeedBytes = 32;
constexpr std::size_t kSealedBytes = kSeedBytes + crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::uint64_t kKdfMemoryBytesMin = 8192;

using Salt = std::array<unsigned char, crypto_pwhash_argon2id_SALTBYTES>;
using Nonce = std::array<unsigned char, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES>;
using Sealed = std::array<unsigned char, kSealedBytes>;

template <class Bytes>
std::string hex_of(const Bytes& bytes) {
    return encode_hex(std::as_bytes(std::span(bytes)));
}

const unsigned char* as_sodium(std::string_view text) noexcept {
    return reinterpret_cast<const unsigned char*>(text.data());
}

Error bad_key_file(std::string_view what) { return Error(ErrorCode::malformed, "key file: " + std::string(what)); }

Status verify_comment(std::string_view comment) {
    if (comment.size() > limits::kCommentBytesMax)
        return Error(ErrorCode::limit, "key file: comment of " + std::to_string(comment.size()) + " bytes, at most " +
                                           std::to_string(limits::kCommentBytesMax) + " allowed");
    if (!unicode::is_plain_text(comment))
        return bad_key_file("the comment is not UTF-8 without control characters");
    return ok();
}

Status verify_cost(KdfCost cost) {
    // The file may be an attacker's: its costs meet a limit before Argon2id allocates (tests/ATTACKS.md, A75).
    if (cost.operations > limits::kKdfOperationsMax || cost.memory_bytes > limits::kKdfMemoryBytesMax)
        return Error(ErrorCode::limit, "key file: it wants " + std::to_string(cost.memory_bytes) +
                                           " bytes of memory and " + std::to_string(cost.operations) +
                                           " passes to open");
    if (cost.operations < 1 || cost.memory_bytes < kKdfMemoryBytesMin || cost.memory_bytes % 1024 != 0)
        return bad_key_file("its KDF cost is not one of Argon2id");
    return ok();
}

// Reads a key file line by line, each "<name>: <value>" and ended by a line feed. The first error sticks.
class KeyFileReader {
public:
    KeyFileReader(std::string_view text, std::string_view title) : text_(text), rest_(text) {
        if (text.size() > limits::kKeyFileBytesMax)
            status_ =
                Error(ErrorCode::limit, "key file: longer than " + std::to_string(limits::kKeyFileBytesMax) + " bytes");
        else if (const auto version = line(title); status_ && version != kKeyFileVersion)
            status_ = Error(ErrorCode::unsupported, "key file: its version is not one that this library knows");
    }

    // Returns the rest of the next line after `prefix`.
    std::string_view line(std::string_view prefix) {
        std::string_view rest = rest_;
        const std::string_view whole = fardel::read_line(rest);
        if (status_ && (rest_.find('\n') == std::string_view::npos || !whole.starts_with(prefix)))
            status_ = bad_key_file("no line \"" + std::string(prefix) + "…\" where one is expected");
        if (!status_)
            return {};
        rest_ = rest;
        return whole.substr(prefix.size());
    }

    std::string comment() {
        const auto comment = line("comment: ");
        if (status_)
            status_ = verify_comment(comment);
        return std::string(status_ ? comment : "");
    }

    PublicKey public_key() {
        PublicKey key;
        hex(line("public-key: "), key.bytes);
        return key;
    }

    void hex(std::string_view digits, std::span<unsigned char> out) {
        if (status_ && !decode_hex(digits, std::as_writable_bytes(out)))
            status_ = bad_key_file("not " + std::to_string(2 * out.size()) + " lower-case hexadecimal digits");
    }

    // Parses a decimal number without sign or leading zero; one that does not fit becomes the largest number.
    std::uint64_t number(std::string_view digits) {
        std::uint64_t value = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status_ &&
            (digits.empty() || end != digits.data() + digits.size() || (digits.size() > 1 && digits[0] == '0')))
            status_ = bad_key_file("not a number");
        // The largest number exceeds every limit, so the error is `limit` and says which.
        return failure == std::errc::result_out_of_range ? UINT64_MAX : value;
    }

    std::string_view read_so_far() const { return text_.substr(0, text_.size() - rest_.size()); }
    void check(Status status) {
        if (status_)
            status_ = std::move(status);
    }
    Status take_status() { return std::move(status_); }
    Status finish() {
        if (status_ && !rest_.empty())
            status_ = bad_key_file("text after its last line");
        return take_status();
    }

private:
    std::string_view text_;
    std::string_view rest_;
    Status status_;
};

std::array<std::string_view, 3> split_at_spaces(std::string_view text) {
    const std::string_view first = read_until(text, ' ');
    const std::string_view second = read_until(text, ' ');
    return {first, second, text};
}

Result<SecureBytes> derive_key(std::string_view passphrase, KdfCost cost, const Salt& salt) {
    SecureBytes key(crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
    if (crypto_pwhash_argon2id(key.data(), key.size(), passphrase.data(), passphrase.size(), salt.data(),
                               cost.operations, static_cast<std::size_t>(cost.memory_bytes),
                               crypto_pwhash_argon2id_ALG_ARGON2ID13) != 0)
        return Error(ErrorCode::io, "key file: not enough memory (" + std::to_string(cost.memory_bytes) +
                                        " bytes) to open or make it");
    return key;
}

Status verify_passphrase(std::string_view passphrase) {
    if (passphrase.empty())
        return bad_key_file("the passphrase is empty");
    if (passphrase.size() > limits::kPassphraseBytesMax)
        return Error(ErrorCode::limit,
                     "key file: passphrase longer than " + std::to_string(limits::kPassphraseBytesMax) + " bytes");
    return ok();
}

Status append_sealed(std::string& text, const SecretKey& key, std::string_view passphrase, KdfCost cost) {
    FARDEL_TRY(verify_passphrase(passphrase));
    FARDEL_TRY(verify_cost(cost));
    Salt salt;
    Nonce nonce;
    start_sodium();
    randombytes_buf(salt.data(), salt.size());
    randombytes_buf(nonce.data(), nonce.size());
    FARDEL_TRY_ASSIGN(const SecureBytes box_key, derive_key(passphrase, cost, salt));
    text += "kdf: argon2id " + std::to_string(cost.operations) + " " + std::to_string(cost.memory_bytes) + " " +
            hex_of(salt) + "\n";
    Sealed sealed;
    // Everything before the seal is authenticated with it: a public key or a cost that is exchanged fails to open.
    crypto_aead_xchacha20poly1305_ietf_encrypt(sealed.data(), nullptr,
                                               reinterpret_cast<const unsigned char*>(key.seed().data()), kSeedBytes,
                                               as_sodium(text), text.size(), nullptr, nonce.data(), box_key.data());
    text += "sealed: " + hex_of(nonce) + " " + hex_of(sealed) + "\n";
    return ok();
}

// Reads the lines after "kdf: argon2id ".
Status open_sealed(KeyFileReader& in, std::string_view kdf, const PassphraseProvider& provider,
                   const SecureBytes& seed) {
    const auto [operations, memory_bytes, salt_hex] = split_at_spaces(kdf);
    const KdfCost cost{in.number(operations), in.number(memory_bytes)};
    in.check(verify_cost(cost));
    Salt salt;
    in.hex(salt_hex, salt);
    const std::string header = with_line_feeds(in.read_so_far());  // as it was sealed
    const auto [nonce_hex, sealed_hex, none] = split_at_spaces(in.line("sealed: "));
    Nonce nonce;
    Sealed sealed;
    in.hex(nonce_hex, nonce);
    in.hex(sealed_hex, sealed);
    if (!none.empty() || sealed_hex.size() != 2 * kSealedBytes)
        in.check(bad_key_file("too much in the line \"sealed: …\""));
    // The whole file is parsed before a person is asked for a passphrase.
    FARDEL_TRY(in.finish());

    Result<std::string> passphrase = provider();
    if (!passphrase)
        return std::move(passphrase).error();
    const WipedAtEnd wiped(*passphrase);
    FARDEL_TRY(verify_passphrase(*passphrase));
    FARDEL_TRY_ASSIGN(const SecureBytes box_key, derive_key(*passphrase, cost, salt));
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(seed.data(), nullptr, nullptr, sealed.data(), sealed.size(),
                                                   as_sodium(header), header.size(), nonce.data(), box_key.data()) != 0)
        return Error(ErrorCode::denied, "key file: wrong passphrase, or the file is damaged");
    return ok();
}

std::string header(std::string_view title, std::string_view comment, const PublicKey& key) {
    std::string text;
    text.reserve(limits::kKeyFileBytesMax);  // prevents reallocation, which would leave copies of a secret behind
    text += title;
    text += kKeyFileVersion;
    text += "\ncomment: ";
    text += comment;
    text += "\npublic-key: " + key.hex() + "\n";
    return text;
}

}  // namespace

Result<std::string> encode_key_file(const SecretKey& key, std::optional<std::string_view> passphrase,
                                    std::string_view comment, KdfCost cost) {
    FARDEL_TRY(verify_comment(comment));
    std::string text = header(kSecretTitle, comment, key.public_key());
    if (passphrase) {
        FARDEL_TRY(append_sealed(text, key, *passphrase, cost));
        return text;
    }
    std::string seed = encode_hex(key.seed());
    const WipedAtEnd wiped(seed);
    text += "kdf: none\nseed: ";
    text += seed;
    text += "\n";
    return text;
}

Result<SecretKey> decode_key_file(std::string_view text, const PassphraseProvider& passphrase) {
    if (is_minisign_file(text) && text.size() <= limits::kKeyFileBytesMax)
        return decode_minisign_secret_key(text, passphrase);
    KeyFileReader in(text, kSecretTitle);
    in.comment();
    const PublicKey public_key = in.public_key();
    const SecureBytes seed(kSeedBytes);
    constexpr std::string_view kArgon = "argon2id ";
    const std::string_view kdf = in.line("kdf: ");
    if (kdf.starts_with(kArgon)) {
        FARDEL_TRY(open_sealed(in, kdf.substr(kArgon.size()), passphrase, seed));
    } else {
        if (kdf != "none")
            in.check(Error(ErrorCode::unsupported, "key file: encrypted in a way that is not known"));
        in.hex(in.line("seed: "), {seed.data(), seed.size()});
        FARDEL_TRY(in.finish());
    }
    SecretKey key = SecretKey::from_seed(seed.bytes().first<kSeedBytes>());
    // Otherwise a file could show one key to its owner and sign with another.
    if (key.public_key() != public_key)
        return Error(ErrorCode::corrupt, "key file: its secret and public keys do not belong together");
    return key;
}

Result<std::string> format_public_key(const PublicKey& key, std::string_view comment) {
    FARDEL_TRY(verify_comment(comment));
    return header(kPublicTitle, comment, key);
}

Result<PublicKeyFile> parse_public_key(std::string_view text) {
    if (is_minisign_file(text) && text.size() <= limits::kKeyFileBytesMax)
        return parse_minisign_public_key(text);
    KeyFileReader in(text, kPublicTitle);
    PublicKeyFile file;
    file.comment = in.comment();
    file.key = in.public_key();
    FARDEL_TRY(in.finish());
    return file;
}

namespace {

// People confuse the two files, whose names are alike; and what is said about permissions is wrong for a public key.
bool is_public_key_file(const std::string& path) {
    auto text = read_small_file(path, limits::kKeyFileBytesMax, FileGuard::none);
    if (!text)
        return false;
    const WipedAtEnd wiped(*text);
    return text->starts_with(kPublicTitle);
}

}  // namespace

Status write_key_file(const std::string& path, std::string_view text) { return write_secret_file(path, text); }

Result<SecretKey> read_key_file(const std::string& path, const PassphraseProvider& passphrase) {
    if (is_public_key_file(path))
        return Error(ErrorCode::malformed, path +
                                               ": this is a public key; the secret key is wanted, whose file has the "
                                               "same name without \".pub\"");
    FARDEL_TRY_ASSIGN(std::string text, read_small_file(path, limits::kKeyFileBytesMax, FileGuard::secret));
    const WipedAtEnd wiped(text);
    auto key = decode_key_file(text, passphrase);
    if (!key)
        return std::move(key).error().with_context(path);
    return key;
}

Result<PublicKeyFile> read_public_key_file(const std::string& path) {
    FARDEL_TRY_ASSIGN(const std::string text, read_small_file(path, limits::kKeyFileBytesMax, FileGuard::none));
    if (text.starts_with(kSecretTitle))
        return Error(ErrorCode::malformed, path +
                                               ": this is a secret key; the public key is wanted, whose file has the "
                                               "same name with \".pub\"");
    auto file = parse_public_key(text);
    if (!file)
        return std::move(file).error().with_context(path);
    return file;
}

}  // namespace fardel
