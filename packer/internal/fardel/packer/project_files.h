// Plans the bundle of a project from files that are known already: entries of sources, and outputs of jobs.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/result.h>
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
#include <vector>

namespace fardel {

// A file to which the rules are applied: an entry of a source, or the output of a job.
struct ProjectFile {
    AssetName name;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
    std::string content_type;
    std::optional<AssetId> asset;            // set if the file was hashed already
    Tags tags;                               // of the job that made it; tags of rules win
    std::vector<FoundReference> references;  // that the job reported; if there are any, the file is not scanned
};

// `files`: no two of one name. Reads the heads of bundles that are dependencies. `scan`: used for projects with [link];
// its scanners, job_references and project_file are set from the project. Errors: as plan_project.
Result<PackPlan> plan_project_files(const Project& project, const std::string& folder, std::vector<ProjectFile> files,
                                    ScanReport report, PlanScanOptions scan = {});

}  // namespace fardel
