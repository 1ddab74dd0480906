// fardel update: brings what is installed to the newest versions that go together. docs/installing.md is the manual.

#include "install/installation.h"
#include "install/lock_option.h"
#include "verbs.h"

namespace fardel {

Result<Exit> run_update(Words words, Console& console) {
    CommandLine line("update", "[NAME...] [--lock FILE] [--store DIR] [--from URL] [options]",
                     "Asks the channel for its newest release, and installs the newest versions that do. "
                     "If that fails, everything stays as it was.",
                     "  fardel update\n"
                     "  fardel update studio/base --lock mods.lock      # the others stay if they can\n"
                     "  fardel update --plan                            # what it would be, and how much\n");
    InstallCommand command;
    line.texts("NAME", "NAME", command.names, "Bundles that may change (default: all)");
    add_install_options(line, command);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.servers, command.from.empty()))
        return line.mistake(*mistake, console);
    FARDEL_TRY(open_lock(command.lock));  // before a store is created
    return install(command, InstallChange::update, console);
}

}  // namespace fardel
