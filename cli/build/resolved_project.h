// A project whose references are resolved and whose bundle is not written, for verbs that report what its assets name.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>

#include <string>
#include <vector>

namespace fardel {

struct ResolvedProject {
    std::string file;
    std::string target;  // the bundle that a build writes
    PackPlan packed;     // with `resolved`
};

// The project file that `source` is, or has in it as a folder; empty: neither.
std::string find_project_file(const std::string& source);

// Runs the jobs that have to be run. `more` and `excludes` add to what the project says; without [link] its references
// are resolved as if it had an empty one. Errors: those of ProjectBuild.
Result<ResolvedProject> resolve_project(const std::string& file, const ProjectReferences& more = {},
                                        const std::vector<std::string>& excludes = {});

}  // namespace fardel
