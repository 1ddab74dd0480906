// Plans the bundle that a project describes: applies its rules to files, which are entries of its sources or outputs of
// jobs.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/tag.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/plan_scan.h>
#include <fardel/packer/project.h>
#include <fardel/packer/references.h>
#include <fardel/sources/source_scan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Sets the value of one axis. `tags`: in the order of their axes.
void set_tag(Tags& tags, const Tag& tag);

// Returns the tags of a file with this name: those that it has, and over them those of the rules that match.
Tags tags_by_rules(const std::vector<ProjectRule>& rules, std::string_view name, const Tags& tags);

// Returns the paths of the project's sources.
std::vector<std::string> sources_of(const Project& project, const std::string& folder);
// Finds the entries of the project's sources. Errors: those of scan_sources, denied (one
// is secret: secret_files.h).
Result<ScanResult> scan_project(const Project& project, const std::string& folder);

// Returns the profile of [link]; nullptr: that of no game. Errors: those of find_game_profile and read_game_profile.
Result<std::shared_ptr<const GameProfile>> load_profile(const Project& project, const std::string& folder);

// A file to which the rules are applied: an entry of a source, or the output of a job.
struct ProjectFile {
    AssetName name;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;  // nullptr: the output of a job that is left out (GraphJob)
    std::string content_type;
    std::optional<AssetId> asset;            // set if the file was hashed already
    std::uint64_t listed = 0;                // as SourceEntry::listed; 0: the output of a job
    Tags tags;                               // of the job that made it; tags of rules win
    std::vector<FoundReference> references;  // that the job reported; if there are any, the file is not scanned
};

// `files`: no two of one name. Reads the heads of bundles that are dependencies. `scan`: used for projects with [link];
// its scanners, job_references and project_file are set from the project. Errors: conflict (two files that would be the
// same variant or disagree about their name, a 'strip' that does not apply, a bundle twice among the dependencies),
// malformed or limit (a name that a rule makes), those of opening a bundle, of scan_plan and of resolve_plan.
Result<PackPlan> plan_project_files(const Project& project, const std::string& folder, std::vector<ProjectFile> files,
                                    ScanReport report, PlanScanOptions scan = {});

}  // namespace fardel
