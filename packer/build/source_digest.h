// Computes the asset id, size and content type of sources on several threads.
#pragma once

#include <fardel/format/ids.h>
#include <fardel/format/result.h>
#include <fardel/sources/source_scan.h>

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

struct SourceDigest {
    AssetId asset;
    std::uint64_t size_bytes = 0;
    std::string content_type;
};

// Returns one digest per entry, in their order, whatever the number of threads. `progress` is called on the caller's
// thread with the number of finished entries. Errors: that of the first entry that cannot be read; cancelled; limit (an
// asset that is too large).
Result<std::vector<SourceDigest>> digest_sources(std::span<const SourceEntry* const> entries, unsigned jobs,
                                                 std::stop_token stop,
                                                 const std::function<void(std::uint64_t)>& progress);

}  // namespace fardel
