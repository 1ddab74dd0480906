// The plan of the bundle that a project describes: sources scanned, rules applied.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>
#include <fardel/packer/references.h>
#include <fardel/sources/source_scan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

// A file that the rules are applied to: of a source, or made from such.
struct ProjectFile {
    AssetName name;
    std::uint64_t size_bytes = 0;
    std::shared_ptr<const BlobSource> blob;
    std::string content_type;
    std::optional<AssetId> asset;                           // when somebody has hashed it
    std::vector<std::pair<std::string, std::string>> tags;  // of what made it; rules win
    std::vector<FoundReference> references;  // that its job says it has, instead of what scanners would find
};

// What to scan the project's sources with, and what to leave out.
std::vector<std::string> sources_of(const Project& project, const std::string& folder);
std::vector<std::string> excludes_of(const Project& project);

// `files`: no two of one name. Reads the heads of bundles that are dependencies. `scan`: how to, for projects with
// [link]; scanners and what is told are the project's. Errors: as plan_project.
Result<PackPlan> plan_project_files(const Project& project, const std::string& folder, std::vector<ProjectFile> files,
                                    ScanReport report, PlanScanOptions scan = {});

// Scans and plans, without processors. Reads what pack_sources reads, and the heads of bundles that are dependencies.
// Errors: those of pack_sources; conflict (two files that would be one variant or disagree about their name, a text
// that cannot be stripped, a bundle twice among the dependencies), malformed or limit (a name that a rule makes), those
// of opening a bundle.
Result<PackPlan> plan_project(const Project& project, const std::string& folder);

}  // namespace fardel
