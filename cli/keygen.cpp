// fardel keygen: creates a secret key file and, beside it, the public key file to give away.

#include "console/json.h"
#include "console/output_file.h"
#include "console/passphrase.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/format/key_file.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <cstdio>
#include <optional>

namespace fardel {
namespace {

struct KeygenCommand {
    std::string path;
    std::string comment;
    bool unencrypted = false;
    bool json = false;

    std::string public_path() const { return path + ".pub"; }
};

constexpr std::string_view kNeverOverwritten = ", and keys are never overwritten; choose another name";

Result<std::string> encode(const SecretKey& key, const KeygenCommand& command) {
    if (command.unencrypted)
        return encode_key_file(key, std::nullopt, command.comment);
    FARDEL_TRY_ASSIGN(std::string passphrase, choose_passphrase(command.path));
    auto text = encode_key_file(key, passphrase, command.comment);
    wipe(passphrase);
    return text;
}

// Writes both files, or none.
Status write(const KeygenCommand& command, std::string_view secret_text, std::string_view public_text) {
    FARDEL_TRY(write_key_file(command.path, secret_text));
    Status status = write_key_file(command.public_path(), public_text);
    if (!status) {
        static_cast<void>(remove_file(command.path, command.path));
        return status;
    }
    // A file that stays private does no harm.
    static_cast<void>(set_permissions(command.public_path(), 0644, command.public_path()));
    return ok();
}

std::string format_done(const KeygenCommand& command, const PublicKey& key) {
    return fmt::format(
        "created a key pair\n"
        "  secret key  {}   keep it secret: whoever has it can sign in your name\n"
        "  public key  {}   give it to everyone who verifies your bundles\n"
        "  key         {}\n",
        printable(command.path), printable(command.public_path()), key.hex());
}

Json json_done(const KeygenCommand& command, const PublicKey& key) {
    return Json{{"secret_file", command.path},
                {"public_file", command.public_path()},
                {"public_key", key.hex()},
                {"encrypted", !command.unencrypted}};
}

Result<Exit> keygen(const KeygenCommand& command, Console& console) {
    FARDEL_TRY(verify_new_file(command.path, kNeverOverwritten));
    FARDEL_TRY(verify_new_file(command.public_path(), kNeverOverwritten));
    const SecretKey key = SecretKey::generate();
    FARDEL_TRY_ASSIGN(const std::string public_text, format_public_key(key.public_key(), command.comment));
    FARDEL_TRY_ASSIGN(std::string secret_text, encode(key, command));
    const Status written = write(command, secret_text, public_text);
    wipe(secret_text);
    FARDEL_TRY(written);
    return print_result(
        console, command.json, [&] { return json_done(command, key.public_key()); },
        [&] { return format_done(command, key.public_key()); });
}

}  // namespace

Result<Exit> run_keygen(Words words, Console& console) {
    CommandLine line("keygen", "-o KEY [--no-passphrase] [--comment TEXT] [--json]",
                     "Creates a key pair to sign with: the secret key KEY and the public key KEY.pub.",
                     "  fardel keygen -o author.key\n"
                     "  fardel keygen -o ci.key --no-passphrase --comment 'build farm'\n");
    KeygenCommand command;
    line.text("-o,--output", "KEY", command.path, "The secret key file to write; the public key goes to KEY.pub")
        .required();
    line.flag("--no-passphrase", command.unencrypted, "Store the secret key unencrypted, for automatic builds");
    line.text("--comment", "TEXT", command.comment, "A note for people, stored in both files");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (command.path.ends_with(".pub"))
        return line.mistake("-o names the secret key file; only public key files end in .pub", console);
    return keygen(command, console);
}

}  // namespace fardel
