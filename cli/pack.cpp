// fardel pack: folders and archives, or a project file, → a bundle.

#include "build/pack_job.h"
#include "build/pack_target.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/packer/pack.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fardel {
namespace {

bool is_project(const std::string& source) { return std::filesystem::path(source).extension() == ".toml"; }

Result<PackPlan> plan(const PackJob& job, const std::vector<std::string>& excludes) {
    PackOptions options{.name = job.name};
    FARDEL_TRY_ASSIGN(options.version, BundleVersion::parse(job.version));
    options.excludes.insert(options.excludes.end(), excludes.begin(), excludes.end());
    FARDEL_TRY_ASSIGN(PackPlan plan, pack_sources(job.sources, options));
    if (plan.plan.assets.empty())
        return Error(ErrorCode::unresolved,
                     "the sources hold nothing that can be packed; check the paths and the --exclude patterns");
    return plan;
}

}  // namespace

Result<Exit> run_pack(Words words, Console& console) {
    CommandLine line("pack", "SOURCE... -o OUT [options]",
                     "Makes one bundle from folders and game archives (pk3, zip, 7z, ...), or as a fardel.toml says; "
                     "of equal names the later source's wins.",
                     "  fardel pack mygame/ -o mygame.fardel --name mygame --version 1.0 --key author.key\n"
                     "  fardel pack baseoa/*.pk3 -o openarena.fardel\n"
                     "  fardel pack art/ -o art.fardel --exclude '**/*.psd' --exclude 'wip/**'\n"
                     "  fardel pack mygame/fardel.toml -o mygame.fardel --version 1.1\n");
    PackJob job;
    std::vector<std::string> excludes;
    line.texts("SOURCE", "SOURCE", job.sources, "Folders and archives, later ones win; or one project file, *.toml")
        ->required();
    line.text("-o,--output", "OUT", job.out, "The bundle to write; replaces an older one in one step")->required();
    line.text("--name", "NAME", job.name,
              "The bundle's name; the project's, or OUT without folder and ending, when left out");
    line.text("--version", "VERSION", job.version, "The bundle's version; the project's when left out");
    add_signing_options(line, job.key);
    line.texts("--exclude", "GLOB", excludes, "Names to leave out; may be repeated");
    add_job_options(line, job);
    if (const auto over = line.parse(words, console))
        return *over;

    if (std::ranges::any_of(job.sources, is_project)) {
        if (job.sources.size() > 1)
            return line.mistake("a project file is the only SOURCE; what else is to be packed stands in its 'sources'",
                                console);
        FARDEL_TRY_ASSIGN(OpenProject project, open_project(job.sources.front()));
        return run_project_job(std::move(project), std::move(job), excludes, console);
    }
    if (job.name.empty()) {
        job.name = name_of_target(job.out);
        if (!verify_name(job.name))
            return line.mistake(
                fmt::format("'{}' makes no good name for the bundle; give it one with --name", job.name), console);
    }
    return run_job(
        job, [&] { return plan(job, excludes); }, console);
}

}  // namespace fardel
