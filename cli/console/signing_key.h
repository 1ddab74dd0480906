// --key and --signer: what a verb signs with.
#pragma once

#include "command_line.h"

#include <fardel/format/signer.h>

#include <memory>
#include <string>

namespace fardel {

struct SigningKey {
    std::string key_path;  // a secret key file; with a program, the public key of what it signs with
    std::string program;   // empty: we sign ourselves
};

CLI::Option* add_signing_options(CommandLine& line, SigningKey& key);  // returns --key

// May ask for a passphrase. Errors: those of read_key_file and read_public_key_file.
Result<std::unique_ptr<Signer>> open_signer(const SigningKey& key);

}  // namespace fardel
