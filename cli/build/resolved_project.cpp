#include "resolved_project.h"

#include <fardel/base/extension.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/interrupt.h>
#include <fardel/format/name.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_path.h>

#include <utility>

namespace fardel {
namespace {

void add_globs(std::vector<std::string>& list, const std::vector<std::string>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

bool is_project_file(std::string_view path) { return extension_of(file_name_of_path(path)) == "toml"; }

Result<ResolvedProject> resolve(const std::string& file, const std::string& target, const ProjectReferences& more,
                                const std::vector<std::string>& excludes, const SourceOptions& sources,
                                bool with_graph) {
    FARDEL_TRY_ASSIGN(Project project, read_project(file));
    FARDEL_TRY_ASSIGN(project, project_for(std::move(project), target));
    const std::string folder(folder_part(file));
    ProjectReferences& references = project.references ? *project.references : project.references.emplace();
    if (!more.profile.empty()) {
        FARDEL_TRY_ASSIGN(references.chosen_profile, load_game_profile(more.profile));
    }
    add_globs(references.roots, more.roots);
    add_globs(references.used, more.used);
    add_globs(references.consumed, more.consumed);
    references.bases = more.bases;
    references.fold_case = more.fold_case;
    add_globs(project.excludes, excludes);
    for (const std::string& root : sources.follow_links) {
        FARDEL_TRY_ASSIGN(std::string whole, absolute_path(root));
        project.pack.follow_links.push_back(std::move(whole));
    }
    if (!sources.names.empty())
        project.pack.names = sources.names;
    ResolvedProject resolved{.file = file, .project = project, .target = path_in_project(folder, output_of(project))};
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(ProjectBuild build, ProjectBuild::open(std::move(project), folder,
                                                             {.target = resolved.target,
                                                              .caches = {.reads_configuration = true},
                                                              .stop = interrupt.token()}));
    FARDEL_TRY_ASSIGN(resolved.packed, build.plan());
    if (with_graph) {
        FARDEL_TRY_ASSIGN(resolved.graph, build.graph());
    }
    resolved.unconfined = build.outcome().unconfined;
    return resolved;
}

}  // namespace

std::string find_project_file(const std::string& source) {
    if (is_project_file(source))
        return source;
    const std::string inside = joined_path(source, kProjectFileName);
    return file_exists(inside) ? inside : std::string();
}

Result<std::string> project_file_of(const std::string& folder) {
    if (file_name_of_path(folder) == kProjectFileName)
        return folder;
    const auto status = find_file_status(folder, folder);
    if (is_project_file(folder) && status && *status && (*status)->is_file())
        return Error(ErrorCode::malformed, printable(folder) + ": give the folder of a " +
                                               std::string(kProjectFileName) +
                                               "; 'fardel pack' packs a project file of any name");
    return joined_path(folder, kProjectFileName);
}

void say_unconfined(const ResolvedProject& resolved, Console& console) {
    if (!resolved.unconfined.empty())
        console.say("fardel: jobs run unconfined: " + resolved.unconfined);
}

Result<ResolvedProject> resolve_project(const std::string& file, const std::string& target,
                                        const ProjectReferences& more, const std::vector<std::string>& excludes,
                                        const SourceOptions& sources) {
    return resolve(file, target, more, excludes, sources, false);
}

Result<ResolvedProject> resolve_with_graph(const std::string& file, const std::string& target) {
    return resolve(file, target, {}, {}, {}, true);
}

}  // namespace fardel
