#include "signing_key.h"

#include "exit.h"
#include "passphrase.h"

#include <fardel/format/key_file.h>

#include <utility>

namespace fardel {

Option add_signing_options(CommandLine& line, SigningKey& key) {
    const Option key_option =
        line.text("--key", "KEY", key.key_path, "The secret key file to sign with; with --signer, the public key file");
    line.text("--signer", "PROGRAM", key.program, "A program that has the secret key and signs its standard input")
        .needs(key_option);
    return key_option;
}

void add_cache_signing_options(CommandLine& line, SigningKey& key) {
    const Option key_option = line.text("--cache-key", "KEY", key.key_path,
                                        "Sign what is added to caches of derived data, with this secret key file; "
                                        "with --cache-signer, the public key file");
    line.text("--cache-signer", "PROGRAM", key.program,
              "A program that has the secret key for caches and signs its standard input")
        .needs(key_option);
}

Result<std::unique_ptr<Signer>> open_signer(const SigningKey& key) {
    if (!key.program.empty()) {
        FARDEL_TRY_ASSIGN(const PublicKeyFile file, read_public_key_file(key.key_path));
        return make_external_signer({key.program}, file.key);
    }
    auto secret = read_key_file(key.key_path, passphrase_of(key.key_path));
    if (!secret && is_missing_file(secret.error(), key.key_path))
        return with_advice(std::move(secret).error(), "'fardel keygen -o FILE' makes a key");
    return secret ? Result<std::unique_ptr<Signer>>(make_key_signer(*std::move(secret))) : std::move(secret).error();
}

}  // namespace fardel
