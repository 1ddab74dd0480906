// The plan of the bundle that a project describes: sources scanned, rules applied.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/pack.h>
#include <fardel/packer/project.h>

#include <string>

namespace fardel {

// `path`, as the project has it, seen from where we are. `folder`: where the project file lies; may be empty.
std::string path_in_project(const std::string& folder, const std::string& path);

// Reads what pack_sources reads, and the heads of bundles that are dependencies. Errors: those of pack_sources;
// conflict (two files that would be one variant or disagree about their name, a text that cannot be stripped, a bundle
// twice among the dependencies), malformed or limit (a name that a rule makes), those of opening a bundle.
Result<PackPlan> plan_project(const Project& project, const std::string& folder);

}  // namespace fardel
