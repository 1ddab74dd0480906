// fardel audit: what the assets of a project or of sources name and is not there, and what nobody names.

#include "audit_report.h"
#include "interrupt.h"
#include "pack_job.h"
#include "verbs.h"

#include <fardel/packer/build.h>
#include <fardel/packer/project_plan.h>

#include <filesystem>
#include <system_error>

namespace fardel {
namespace {

struct AuditCommand {
    std::vector<std::string> sources;
    ProjectLink link;
    std::vector<std::string> excludes;
    bool json = false;
};

void append(std::vector<std::string>& list, const std::vector<std::string>& more) { list.insert(list.end(), more.begin(), more.end()); }

// The project file that the sources are, if they are one. None at all: that of the folder that we are in.
std::string project_of(const std::vector<std::string>& sources) {
    namespace fs = std::filesystem;
    if (sources.size() > 1)
        return {};
    const fs::path source = sources.empty() ? fs::path() : fs::path(sources.front());
    if (source.extension() == ".toml")
        return source.string();
    const fs::path inside = source / kProjectFileName;
    std::error_code failure;
    return sources.empty() || fs::exists(inside, failure) ? inside.string() : std::string();
}

Result<PackPlan> link_project(const AuditCommand& command, const std::string& path) {
    FARDEL_TRY_ASSIGN(OpenProject open, open_project(path));
    ProjectLink& link = open.project.link ? *open.project.link : open.project.link.emplace();
    append(link.roots, command.link.roots);
    append(link.used, command.link.used);
    append(link.consumed, command.link.consumed);
    append(open.project.excludes, command.excludes);
    const std::string target = path_in_project(open.folder, output_of(open.project));
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(ProjectBuild build, ProjectBuild::open(std::move(open.project), open.folder, {.target = target, .stop = interrupt.token()}));
    return build.plan();
}

Result<PackPlan> link_sources(const AuditCommand& command) {
    PackOptions options{.name = "audit"};
    append(options.excludes, command.excludes);
    FARDEL_TRY_ASSIGN(PackPlan packed, pack_sources(command.sources, options));
    FARDEL_TRY(link_packed(packed, {.roots = command.link.roots, .used = command.link.used, .consumed = command.link.consumed, .dependencies = {}}, {}, false));
    return packed;
}

Result<Exit> audit(const AuditCommand& command, Console& console) {
    const std::string project = project_of(command.sources);
    FARDEL_TRY_ASSIGN(const PackPlan packed, project.empty() ? link_sources(command) : link_project(command, project));
    const Audit& found = packed.link->audit;
    FARDEL_TRY(console.write(command.json ? format_json(json_of(found, packed.plan)) + "\n" : format_report(found, console)));
    return found.missing.empty() ? Exit::fine : Exit::refusal;
}

}  // namespace

Result<Exit> run_audit(Words words, Console& console) {
    CommandLine line("audit", "[SOURCE...] [options]", "Tells what assets name and is not there, and, from roots such as maps, what nobody names. Nothing is packed.",
                     "  fardel audit\n"
                     "  fardel audit mygame/ --json\n"
                     "  fardel audit baseoa/*.pk3 --root 'maps/*.bsp' --used 'gfx/**' --used 'sound/player/**'\n");
    AuditCommand command;
    line.texts("SOURCE", "SOURCE", command.sources, "A project file or its folder; or folders and archives, later ones win. The project that we are in when left out");
    line.texts("--root", "GLOB", command.link.roots, "Names that a game starts from; may be repeated. Without any, nothing counts as unused");
    line.texts("--used", "GLOB", command.link.used, "Names that only the game's code knows; may be repeated");
    line.texts("--consumed", "GLOB", command.link.consumed, "Names that other bundles bring; may be repeated");
    line.texts("--exclude", "GLOB", command.excludes, "Names to leave out; may be repeated");
    line.flag("--json", command.json, "Report as JSON, with complete lists");
    if (const auto over = line.parse(words, console))
        return *over;
    return audit(command, console);
}

}  // namespace fardel
