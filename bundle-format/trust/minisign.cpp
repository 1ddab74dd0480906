#include "minisign.h"

#include "names/unicode.h"
#include "secrets/secure_memory.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/base64.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <array>

namespace fardel {
namespace {

constexpr std::string_view kCommentPrefix = "untrusted comment: ";

// Offsets in a decoded secret key. Everything from kKeyNumber on is encrypted if there is a passphrase.
constexpr std::size_t kKdf = 2, kChecksum = 4, kSalt = 6, kOperations = 38, kMemory = 46, kKeyNumber = 54, kSeed = 62,
                      kPublic = 94, kDigest = 126;
constexpr std::size_t kSecretBytes = 158;
constexpr std::size_t kPublicBytes = 42;

struct Lines {
    std::string_view comment;
    std::string_view base64;
};

Result<Lines> split(std::string_view text) {
    Lines lines;
    lines.comment = read_line(text);
    lines.base64 = read_line(text);
    if (!text.empty() || !lines.comment.starts_with(kCommentPrefix))
        return Error(ErrorCode::malformed, "minisign key: not a comment and one line of base64");
    lines.comment.remove_prefix(kCommentPrefix.size());
    if (lines.comment.size() > limits::kCommentBytesMax)
        return Error(ErrorCode::limit, "minisign key: comment of " + std::to_string(lines.comment.size()) + " bytes");
    if (!unicode::is_plain_text(lines.comment))
        return Error(ErrorCode::malformed, "minisign key: the comment is not UTF-8 without control characters");
    return lines;
}

Status decode_line(std::string_view base64, std::span<std::byte> out) {
    Status decoded = decode_base64(base64, out);
    return decoded ? ok() : Status(std::move(decoded).error().with_context("minisign key"));
}

bool has_tag(std::span<const std::byte> bytes, std::size_t at, std::string_view tag) {
    return std::ranges::equal(bytes.subspan(at, tag.size()), std::as_bytes(std::span(tag)));
}

Status decrypt(const SecureBytes& file, const PassphraseProvider& passphrase) {
    const std::uint64_t operations = load_le<std::uint64_t>(file.bytes().data() + kOperations);
    const std::uint64_t memory_bytes = load_le<std::uint64_t>(file.bytes().data() + kMemory);
    // The file may be an attacker's: its costs meet a limit before scrypt allocates (tests/ATTACKS.md, A75).
    if (operations > limits::kScryptOperationsMax || memory_bytes > limits::kKdfMemoryBytesMax)
        return Error(ErrorCode::limit, "minisign key: it wants " + std::to_string(memory_bytes) +
                                           " bytes of memory and " + std::to_string(operations) +
                                           " operations to open");
    Result<std::string> phrase = passphrase();
    if (!phrase)
        return std::move(phrase).error();
    const WipedAtEnd wiped(*phrase);
    const SecureBytes stream(kSecretBytes - kKeyNumber);
    if (crypto_pwhash_scryptsalsa208sha256(stream.data(), stream.size(), phrase->data(), phrase->size(),
                                           file.data() + kSalt, operations, in_memory(memory_bytes)) != 0)
        return Error(ErrorCode::io, "minisign key: not enough memory to open it");
    for (std::size_t i = 0; i < stream.size(); ++i)
        file.data()[kKeyNumber + i] ^= stream.data()[i];

    // The format has no other sign that the passphrase was right: the digest is encrypted with the key.
    std::array<unsigned char, 32> digest;
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, digest.size());
    crypto_generichash_update(&state, file.data(), 2);
    crypto_generichash_update(&state, file.data() + kKeyNumber, kDigest - kKeyNumber);
    crypto_generichash_final(&state, digest.data(), digest.size());
    if (sodium_memcmp(digest.data(), file.data() + kDigest, digest.size()) != 0)
        return Error(ErrorCode::denied, "minisign key: wrong passphrase, or the file is damaged");
    return ok();
}

}  // namespace

bool is_minisign_file(std::string_view text) noexcept { return text.starts_with(kCommentPrefix); }

Result<PublicKeyFile> parse_minisign_public_key(std::string_view text) {
    FARDEL_TRY_ASSIGN(const Lines lines, split(text));
    std::array<std::byte, kPublicBytes> bytes;
    FARDEL_TRY(decode_line(lines.base64, bytes));
    if (!has_tag(bytes, 0, "Ed"))
        return Error(ErrorCode::unsupported, "minisign key: not an Ed25519 key");
    PublicKeyFile file;
    std::copy_n(bytes.begin() + 10, 32, std::as_writable_bytes(std::span(file.key.bytes)).begin());
    file.comment = lines.comment;
    return file;
}

Result<SecretKey> decode_minisign_secret_key(std::string_view text, const PassphraseProvider& passphrase) {
    FARDEL_TRY_ASSIGN(const Lines lines, split(text));
    const SecureBytes file(kSecretBytes);
    FARDEL_TRY(decode_line(lines.base64, file.bytes()));
    if (!has_tag(file.bytes(), 0, "Ed"))
        return Error(ErrorCode::unsupported, "minisign key: not an Ed25519 key");
    if (!has_tag(file.bytes(), kChecksum, "B2"))
        return Error(ErrorCode::unsupported, "minisign key: its checksum is not BLAKE2b");
    if (has_tag(file.bytes(), kKdf, "Sc"))
        FARDEL_TRY(decrypt(file, passphrase));
    else if (!has_tag(file.bytes(), kKdf, std::string_view("\0\0", 2)))
        return Error(ErrorCode::unsupported, "minisign key: encrypted in a way that is not known");

    SecretKey key = SecretKey::from_seed(file.bytes().subspan<kSeed, 32>());
    if (!std::ranges::equal(std::as_bytes(std::span(key.public_key().bytes)), file.bytes().subspan<kPublic, 32>()))
        return Error(ErrorCode::corrupt, "minisign key: its secret and public parts do not belong together");
    return key;
}

}  // namespace fardel
