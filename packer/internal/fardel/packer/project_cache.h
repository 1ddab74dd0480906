// The caches of derived data that a project names.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/packer/project.h>

#include <chrono>
#include <memory>
#include <string>

namespace fardel {

// As builds open it; creates a folder that is not there. `folder`: that of the project. `patience`: for one request to
// a server. Errors: those of opening the layer, and of reading its token.
Result<std::unique_ptr<CacheLayer>> open_project_cache(const ProjectCache& cache, const std::string& folder,
                                                       std::chrono::milliseconds patience = HttpLayerOptions().timeout);

}  // namespace fardel
