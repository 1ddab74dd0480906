// The names of a bundle, sorted by the hash of their texts, as in the look-up tables. Computed once for all checks.
#pragma once

#include "bundle_strings.h"
#include "checked_tables.h"

#include <fardel/format/name_buckets.h>

#include <vector>

namespace fardel {

// Returns the names whose text is known, sorted.
std::vector<HashedName> hash_names(const CheckedTables& tables, const BundleStrings& texts);

}  // namespace fardel
