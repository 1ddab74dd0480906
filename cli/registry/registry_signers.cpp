#include "registry/registry_signers.h"

#include "console/signing_key.h"

#include <utility>

namespace fardel {
namespace {

Result<std::unique_ptr<Signer>> open_role(const std::string& key, const std::string& program, std::string role) {
    if (program.empty())
        return open_signer({.key_path = key, .program = {}});
    FARDEL_TRY_ASSIGN(const PublicKeyFile file, read_public_key_file(key));
    return make_external_signer({program, std::move(role)}, file.key);
}

}  // namespace

void add_registry_signing_options(CommandLine& line, RegistrySignerOptions& options) {
    line.text("--registry-key", "KEY", options.registry_key,
              "The key that countersigns bundles; with --signer, this and the next two are public key files");
    line.text("--release-key", "KEY", options.release_key, "The key that signs releases of the channel");
    line.text("--head-key", "KEY", options.head_key, "The key that signs its heads");
    line.text("--signer", "PROGRAM", options.program,
              "A program that has the three secret keys: it is run with the word registry, release or head, "
              "and signs its standard input");
}

Result<RegistrySigners> open_registry_signers(const RegistrySignerOptions& options) {
    RegistrySigners signers;
    FARDEL_TRY_ASSIGN(signers.registry, open_role(options.registry_key, options.program, "registry"));
    FARDEL_TRY_ASSIGN(signers.release, open_role(options.release_key, options.program, "release"));
    FARDEL_TRY_ASSIGN(signers.head, open_role(options.head_key, options.program, "head"));
    return signers;
}

}  // namespace fardel
