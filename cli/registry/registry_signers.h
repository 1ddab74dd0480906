// The keys of a registry on the command line: three key files, or their public halves and a program that has the keys.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/hosting/registry.h>

#include <string>

namespace fardel {

struct RegistrySignerOptions {
    std::string registry_key;
    std::string release_key;
    std::string head_key;
    std::string program;  // empty: the files have the secret keys

    bool any() const { return !(registry_key + release_key + head_key + program).empty(); }
    bool all() const { return !registry_key.empty() && !release_key.empty() && !head_key.empty(); }
};
void add_registry_signing_options(CommandLine& line, RegistrySignerOptions& options);

// The program is run with the word registry, release or head. Errors: those of open_signer.
Result<RegistrySigners> open_registry_signers(const RegistrySignerOptions& options);

}  // namespace fardel
