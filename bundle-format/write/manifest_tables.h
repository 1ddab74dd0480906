// Writes the tables of a bundle, in the order of docs/bundle-format.md §4 and §7.
#pragma once

#include "asset_storage.h"
#include "resolved_plan.h"
#include "table_section.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

#include <cstdint>
#include <span>

namespace fardel {

// Errors: limit (more strings than a bundle can hold, or more than kBucketRecordsMax ids in one bucket), those of
// TableSection.
Status write_manifest_tables(const BundlePlan& plan, std::span<const std::uint32_t> names_by_text,
                             const StoredContent& content, const ResolvedPlan& resolved, TableSection& out);
Status write_layout_tables(const StoredContent& content, TableSection& out);

}  // namespace fardel
