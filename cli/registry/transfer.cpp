// fardel registry transfer: the operator of a registry gives a name to another author.

#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "registry/registry_verbs.h"

#include <fardel/format/name.h>
#include <fardel/format/signer.h>
#include <fardel/hosting/registry_transfer.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct TransferCommand {
    std::string folder;
    std::string name;
    std::string key;  // a public key file
    bool json = false;
};

Result<Exit> transfer(const TransferCommand& command, Console& console) {
    FARDEL_TRY_ASSIGN(const PublicKeyFile to, read_public_key_file(command.key));
    FARDEL_TRY_ASSIGN(const NameTransfer done, transfer_name(command.folder, command.name, to.key, system_now()));
    return print_result(
        console, command.json,
        [&] {
            return Json{
                {"name", done.name}, {"from", done.from.hex()}, {"to", done.to.hex()}, {"date", done.date.seconds}};
        },
        [&] {
            return fmt::format("transferred {} from {} to {} on {}\n", printable(done.name), done.from.hex(),
                               done.to.hex(), format_date(done.date));
        });
}

}  // namespace

Result<Exit> run_registry_transfer(Words words, Console& console) {
    CommandLine line(
        "registry transfer", "FOLDER NAME KEY.pub [--json]",
        "Gives a name to another author, who alone brings versions of it from now on; those that are there stay. "
        "The pages of the registry say so. Players who have installed the name are asked before they get a bundle by "
        "the other author. The registry may be served meanwhile. Needs no key.",
        "  fardel registry transfer /srv/www/hub maps/castle bob.key.pub\n");
    TransferCommand command;
    line.text("FOLDER", "FOLDER", command.folder, "The folder of the registry").required();
    line.text("NAME", "NAME", command.name, "The name").required();
    line.text("KEY.pub", "KEY.pub", command.key, "The public key file of its new author").required();
    line.json(command.json);
    return line.run(words, console, [&] { return transfer(command, console); });
}

}  // namespace fardel
