// fardel build: the bundle of a folder's fardel.toml, whole, each time.

#include "pack_job.h"
#include "verbs.h"

#include <filesystem>

namespace fardel {

Result<Exit> run_build(Words words, Console& console) {
    CommandLine line("build", "[DIR] [options]", "Makes the bundle that DIR/fardel.toml describes, where its 'output' says. It packs everything each time.",
                     "  fardel build\n"
                     "  fardel build mygame --level 1\n"
                     "  fardel build mygame --key release.key\n");
    std::string folder;
    PackJob job;
    line.text("DIR", "DIR", folder, "The folder of the fardel.toml; the one that we are in when left out");
    line.text("--version", "VERSION", job.version, "The bundle's version; the project's when left out");
    add_signing_options(line, job.key);
    add_job_options(line, job);
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(OpenProject project, open_project((std::filesystem::path(folder) / kProjectFileName).string()));
    return run_project_job(std::move(project), std::move(job), {}, console);
}

}  // namespace fardel
