// What `fardel pack` and `fardel build` do alike: plan → staged file → signature → file in place → report.
#pragma once

#include "console/console.h"
#include "console/exit.h"
#include "console/signing_key.h"
#include "pack_report.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct PackJob {
    std::string out;
    std::vector<std::string> sources;  // that `out` must not be, or lie in
    std::string name;
    std::string version;
    SigningKey key;
    std::uint64_t level = kLevelDefault;
    std::uint64_t jobs = 0;
    bool json = false;
};

// --level, --jobs and --json.
void add_job_options(CommandLine& line, PackJob& job);

// Written, signed and in place. `signer`: nullptr leaves it unsigned. `donor`: as of WriteOptions.
Result<PackReport> make_bundle(const BundlePlan& plan, const PackJob& job, Signer* signer,
                               std::shared_ptr<const Bundle> donor, std::stop_token stop, Console& console);
// nullptr when the job names no key.
Result<std::unique_ptr<Signer>> open_signer_of(const PackJob& job);

// `plan` is called once the rest has been found good.
Result<Exit> run_job(const PackJob& job, const std::function<Result<PackPlan>()>& plan, Console& console);

// A project on disk, and what the job takes from it unless an option has said so: name, version, key, output.
struct OpenProject {
    Project project;
    std::string folder;  // that its paths are relative to; may be empty
};
Result<OpenProject> open_project(const std::string& path);
// Error: unresolved (there is nothing to pack).
Status verify_not_empty(const Project& project, const BundlePlan& plan);
// Error: unresolved (something is missing, and [link] says that no bundle is to be made then).
Status verify_links(const Project& project, const PackPlan& planned);
// The project's own where `job` says nothing; names all paths.
Status complete_job(OpenProject& open, PackJob& job, const std::vector<std::string>& excludes);
// Everything anew. Those that `job` has already win over the project's.
Result<Exit> run_project_job(OpenProject open, PackJob job, const std::vector<std::string>& excludes, Console& console);

}  // namespace fardel
