// The bundle plan of scanned entries: each becomes an asset with its content type, published under its name.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/sources/source_scan.h>

#include <string_view>
#include <vector>

namespace fardel {

// Reads the first bytes of the blob. The result has static storage. Errors: corrupt, denied, conflict or io.
Result<std::string_view> read_content_type(std::string_view name, const BlobSource& blob);

// The assets of the plan have the order of the entries. Reads the first bytes of each, except of those that are known.
// Errors: corrupt, denied, conflict or io from an entry that cannot be read.
Result<BundlePlan> plan_entries(std::vector<SourceEntry> entries, const KnownBlobs& known = {});

}  // namespace fardel
