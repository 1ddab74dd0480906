// The options --key and --signer of verbs that sign.
#pragma once

#include "command_line.h"

#include <fardel/format/signer.h>

#include <memory>
#include <string>

namespace fardel {

struct SigningKey {
    std::string key_path;  // a secret key file; with a program, its public key file
    std::string program;   // empty: the secret key file is used
};

Option add_signing_options(CommandLine& line, SigningKey& key);  // returns --key
// --cache-key and --cache-signer, for the records that a build adds to derived-data caches.
void add_cache_signing_options(CommandLine& line, SigningKey& key);

// May ask for a passphrase. Errors: those of read_key_file and read_public_key_file.
Result<std::unique_ptr<Signer>> open_signer(const SigningKey& key);

}  // namespace fardel
