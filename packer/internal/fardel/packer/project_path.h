// Paths as a project file writes them. Pure.
#pragma once

#include <string>

namespace fardel {

// `path` as a project states it, made usable from the current folder. `folder` is the folder of the project file; it
// may be empty. An absolute `path` is returned unchanged.
std::string path_in_project(const std::string& folder, const std::string& path);

}  // namespace fardel
