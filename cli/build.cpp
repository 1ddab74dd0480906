// fardel build: builds the bundles of a folder's fardel.toml if anything has changed.

#include "build/build_command.h"
#include "verbs.h"

#include <fardel/base/interrupt.h>

namespace fardel {

Result<Exit> run_build(Words words, Console& console) {
    CommandLine line("build", "[DIR] [options]",
                     "Builds the bundle that DIR/fardel.toml describes and writes it to the project's 'output'; "
                     "what has not changed since the last build is not built again.",
                     "  fardel build\n"
                     "  fardel build --target android,pc\n"
                     "  fardel build mygame --level 1\n"
                     "  fardel build mygame --key release.key\n");
    BuildCommand command;
    add_build_options(line, command);
    if (const auto over = line.parse(words, console))
        return *over;
    if (const auto mistake = find_mistake(command.output))
        return line.mistake(*mistake, console);
    const Interrupt interrupt;
    std::vector<ObservedPath> observed;
    return run_build_command(command, interrupt.token(), observed, console);
}

}  // namespace fardel
