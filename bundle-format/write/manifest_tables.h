// Builds the tables of a bundle, in the order of docs/bundle-format.md §4 and §7. Pure.
#pragma once

#include "asset_storage.h"
#include "resolved_plan.h"
#include "sorted_names.h"
#include "table_section.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

namespace fardel {

// Error: limit (more strings than a bundle can hold, or more than kBucketRecordsMax ids in one bucket).
Result<TableBytes> build_manifest_tables(const BundlePlan& plan, const SortedNames& names, const StoredContent& content,
                                         const ResolvedPlan& resolved);

TableBytes build_layout_tables(const StoredContent& content);

}  // namespace fardel
