// fardel install: brings bundles by name, with what they require, into a store. docs/installing.md is the manual.

#include "install/installation.h"
#include "verbs.h"

#include <fardel/delivery/lock_file.h>
#include <fardel/format/requirement.h>

#include <string>

namespace fardel {

Result<Exit> run_install(Words words, Console& console) {
    CommandLine line(
        "install",
        "NAME['>= 1.0']... [--lock FILE] [--store DIR] [--from URL [--channel NAME] [--root ROOT]] [options]",
        "Installs bundles of a channel by their names, with everything that they require: brings them into the store, "
        "and writes which they are into a lock file. What is installed already stays as it is, if it does.",
        "  fardel install mods/castle --from https://example.org/mods     # asks about the root, once\n"
        "  fardel install mods/castle --channel mods/all --from https://example.org/mods --root mods.root\n"
        "  fardel install 'mods/castle >= 1.2, < 2' mods/forest       # with the channel of the lock file\n"
        "  fardel install mods/castle --plan                          # what it would be, and how much\n"
        "  fardel mount /mnt/game --lock fardel.lock\n");
    InstallCommand command;
    line.texts("NAME", "NAME", command.names, "Names of bundles, each with bounds for its version if you like")
        .required();
    add_install_options(line, command);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.servers, command.from.empty()))
        return line.mistake(*mistake, console);
    FARDEL_TRY_ASSIGN(const auto before, find_lock_file(command.lock));
    if (!before && command.from.empty())
        return line.mistake("there is no lock file yet, so name the tree with the channel with --from", console);
    for (const std::string& name : command.names)  // before a store is created
        FARDEL_TRY(Requirement::parse(name));
    return install(command, InstallChange::install, console);
}

}  // namespace fardel
