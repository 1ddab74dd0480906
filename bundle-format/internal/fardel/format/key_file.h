// Key files as text, in fardel's own format (docs/signatures.md, "Key files") and in that of minisign.
//
// A secret key file contains the key encrypted under a passphrase (Argon2id, XChaCha20-Poly1305) or, if that was
// requested, unencrypted. Text from a file is untrusted: its form is checked strictly and its KDF costs against
// limits.h before anything is computed. Passphrases and key bytes are wiped after use. Pure except for write_key_file;
// signer.h has the functions that read files.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/signer.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fardel {

// Cost of Argon2id: the number of passes over the memory, and the memory's size.
struct KdfCost {
    std::uint64_t operations;
    std::uint64_t memory_bytes;
};
inline constexpr KdfCost kKdfModerate{3, 256u << 20};  // 256 MiB, about a second; the default

// If `passphrase` is nullopt, the key is not encrypted. Errors: malformed (empty passphrase, control character in the
// comment), limit (comment too long, cost above limits.h), io (not enough memory for the KDF).
Result<std::string> encode_key_file(const SecretKey& key, std::optional<std::string_view> passphrase,
                                    std::string_view comment, KdfCost cost = kKdfModerate);

// Decodes a secret key file of fardel or minisign. Errors: malformed, unsupported, limit (KDF cost), denied (wrong
// passphrase or damaged key, which cannot be distinguished), corrupt (secret and public key do not belong together),
// those of `passphrase`.
Result<SecretKey> decode_key_file(std::string_view text, const PassphraseProvider& passphrase);

// Returns the text of a `.pub` file. Errors: malformed, limit.
Result<std::string> format_public_key(const PublicKey& key, std::string_view comment);
// Parses a public key file of fardel or minisign. Errors: malformed, unsupported, limit.
Result<PublicKeyFile> parse_public_key(std::string_view text);

// Creates the file with mode 0600 and syncs it. Errors: conflict (the path exists and is unchanged), denied, missing
// (no such folder), no_space, io.
Status write_key_file(const std::string& path, std::string_view text);

}  // namespace fardel
