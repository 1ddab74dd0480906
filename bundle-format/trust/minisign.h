// Key files of minisign 0.x (https://jedisct1.github.io/minisign/, "Public key format", "Secret key format"): two
// lines, a comment and base64. Signatures of minisign are not supported.
#pragma once

#include <fardel/format/key_file.h>

#include <string_view>

namespace fardel {

bool is_minisign_file(std::string_view text) noexcept;

// Errors: those of parse_public_key and decode_key_file.
Result<PublicKeyFile> parse_minisign_public_key(std::string_view text);
Result<SecretKey> decode_minisign_secret_key(std::string_view text, const PassphraseProvider& passphrase);

}  // namespace fardel
