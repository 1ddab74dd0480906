// Computes the asset id, size and content type of sources on several threads.
#pragma once

#include "build_database.h"

#include <fardel/base/result.h>
#include <fardel/sources/source_scan.h>

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace fardel {

// Returns one source per entry, in their order, whatever the number of threads. `progress` is called on the caller's
// thread with the number of finished entries. Errors: that of the first entry that cannot be read; cancelled; limit (an
// asset that is too large).
Result<std::vector<KnownSource>> digest_sources(std::span<const SourceEntry* const> entries, unsigned jobs,
                                                std::stop_token stop,
                                                const std::function<void(std::uint64_t)>& progress);

}  // namespace fardel
