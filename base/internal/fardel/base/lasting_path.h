// Paths that lead to an open folder, whatever happens to its own path.
#pragma once

#include <fardel/base/descriptor.h>

#include <optional>
#include <string>

namespace fardel {

// Returns a path that leads to the folder as long as it is open; nothing if the system has no such paths (/proc).
std::optional<std::string> find_lasting_path(const Descriptor& folder);

}  // namespace fardel
