// What `fardel pack` and `fardel build` do alike: plan → staged file → signature → file in place → report.
#pragma once

#include "console.h"
#include "exit.h"
#include "signing_key.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fardel {

struct PackJob {
    std::string out;
    std::vector<std::string> sources;   // that `out` must not be, or lie in
    std::string name;
    std::string version;
    SigningKey key;
    std::uint64_t level = kLevelDefault;
    std::uint64_t jobs = 0;
    bool json = false;
};

// --level, --jobs and --json.
void add_job_options(CommandLine& line, PackJob& job);

// `plan` is called once the rest has been found good.
Result<Exit> run_job(const PackJob& job, const std::function<Result<PackPlan>()>& plan, Console& console);

// A project on disk, and what the job takes from it unless an option has said so: name, version, key, output.
struct OpenProject {
    Project project;
    std::string folder;   // that its paths are relative to; may be empty
};
Result<OpenProject> open_project(const std::string& path);
// Those that `job` has already win over the project's.
Result<Exit> run_project_job(OpenProject open, PackJob job, const std::vector<std::string>& excludes, Console& console);

}  // namespace fardel
