// Plans the bundle that a project describes: scans its sources and applies its rules.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>

#include <string>
#include <vector>

namespace fardel {

// Returns the arguments of scan_sources for the project's sources.
std::vector<std::string> sources_of(const Project& project, const std::string& folder);
std::vector<std::string> excludes_of(const Project& project);

// Scans and plans, without processors. Reads what pack_sources reads, and the heads of bundles that are dependencies.
// Errors: those of pack_sources; conflict (two files that would be the same variant or disagree about their name, a
// 'strip' that does not apply, a bundle twice among the dependencies), malformed or limit (a name that a rule makes),
// those of opening a bundle.
Result<PackPlan> plan_project(const Project& project, const std::string& folder);

}  // namespace fardel
