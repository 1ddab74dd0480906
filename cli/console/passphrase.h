// Passphrases: from the file that FARDEL_PASSPHRASE_FILE names, else from a person at the terminal, unseen. Never from
// the command line, where every process of the machine could read them.
#pragma once

#include <fardel/format/key_file.h>

#include <string>

namespace fardel {

// For an existing key. Errors: unresolved (no file named, and no terminal), cancelled, limit, malformed, those of the
// file.
PassphraseProvider passphrase_of(const std::string& key_path);

// For a new one: a person types it twice. The caller wipes it. Errors: the same; malformed also for an empty one, or
// two that differ.
Result<std::string> choose_passphrase(const std::string& key_path);

// Overwrites a secret before its memory goes back.
void wipe(std::string& secret) noexcept;

}  // namespace fardel
