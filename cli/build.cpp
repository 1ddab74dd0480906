// fardel build: the bundle of a folder's fardel.toml, where something has changed.

#include "build/build_job.h"
#include "verbs.h"

namespace fardel {

Result<Exit> run_build(Words words, Console& console) {
    CommandLine line("build", "[DIR] [options]",
                     "Makes the bundle that DIR/fardel.toml describes, where its 'output' says; what has not changed "
                     "since the last build is not done again.",
                     "  fardel build\n"
                     "  fardel build mygame --level 1\n"
                     "  fardel build mygame --key release.key\n");
    BuildJob job;
    add_build_options(line, job);
    if (const auto over = line.parse(words, console))
        return *over;
    return run_build_job(std::move(job), console);
}

}  // namespace fardel
