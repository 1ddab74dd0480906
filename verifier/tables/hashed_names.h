// The names of a bundle by the hash of their texts, as the look-up tables have them. Made once for all checks.
#pragma once

#include "bundle_strings.h"
#include "tables.h"

#include <fardel/format/name_buckets.h>

#include <vector>

namespace fardel {

// Of those whose text is known, in order.
std::vector<HashedName> hash_names(const Tables& tables, const Strings& texts);

}  // namespace fardel
