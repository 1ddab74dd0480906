// The derived-data cache of a project's builds: its own folder first, then the caches that the project names.
#pragma once

#include <fardel/format/result.h>
#include <fardel/packer/project.h>
#include <fardel/store/derived_cache.h>

#include <memory>
#include <string>
#include <vector>

namespace fardel {

// `own`: the project's own folder of derived data; created if it is absent. Another cache that cannot be opened is
// skipped, and the reason is added to `left_out`. Errors: those of the own folder.
Result<std::unique_ptr<DerivedCache>> open_build_cache(const Project& project, const std::string& folder,
                                                       const std::string& own, CacheOptions options,
                                                       std::vector<std::string>& left_out);

}  // namespace fardel
