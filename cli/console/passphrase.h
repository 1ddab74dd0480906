// Passphrases: read from the file that FARDEL_PASSPHRASE_FILE names, or else typed at the terminal without echo. Never
// taken from the command line, which every program on the machine can read.
#pragma once

#include <fardel/format/key_file.h>

#include <string>

namespace fardel {

// For an existing key. Errors: unresolved (no file is named, and there is no terminal), cancelled, limit, malformed,
// those of reading the file.
PassphraseProvider passphrase_of(const std::string& key_path);

// The path that FARDEL_PASSPHRASE_FILE names; empty: none.
std::string passphrase_file();

// For a new key: it is typed twice. The caller wipes it. Errors: the same; malformed also if it is empty, or if the two
// differ.
Result<std::string> choose_passphrase(const std::string& key_path);

// Overwrites a secret before its memory is released.
void wipe(std::string& secret) noexcept;

}  // namespace fardel
