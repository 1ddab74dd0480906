// A project whose references are resolved but whose bundle is not written, for verbs that report references.
#pragma once

#include "build/build_command.h"
#include "console/console.h"

#include <fardel/base/result.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_build.h>

#include <optional>
#include <string>
#include <vector>

namespace fardel {

struct ResolvedProject {
    std::string file;
    Project project;                  // as it was planned
    std::string target;               // the bundle that a build writes
    PackPlan packed;                  // `resolved` is set
    std::optional<BuildGraph> graph;  // of the jobs as they ran last; only of resolve_with_graph()
    std::string unconfined;           // see BuildOutcome
};

// Reports on standard error that programs of the project run unconfined, if they do.
void say_unconfined(const ResolvedProject& resolved, Console& console);

// Returns `source` if it is a project file, or the project file in it if it is a folder; empty: neither.
std::string find_project_file(const std::string& source);

// The project file that DIR of build, watch and graph means: the fardel.toml in it, or that file itself. Error:
// malformed (a project file of another name: builds keep what they know in their folder, for one project).
Result<std::string> project_file_of(const std::string& folder);

// Runs the jobs that must run. `target`: which one of the project's; empty: the only one, or none. `more` and
// `excludes` are added to the project's own; a project without [link] is resolved as if it had an empty one. Errors:
// those of project_for and ProjectBuild.
Result<ResolvedProject> resolve_project(const std::string& file, const std::string& target,
                                        const ProjectReferences& more = {},
                                        const std::vector<std::string>& excludes = {},
                                        const SourceOptions& sources = {});
// The same, with `graph`, which takes a look-up for each job.
Result<ResolvedProject> resolve_with_graph(const std::string& file, const std::string& target);

}  // namespace fardel
