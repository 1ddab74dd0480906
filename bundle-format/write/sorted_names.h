// The names of a plan in the two orders of the format: by text, checked to fit in one tree, and by hash.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/name_buckets.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Errors: malformed (two names equal under case folding, a name that is also the folder of another), limit (more than
// kNameHashCollisionsMax names with one hash, or those of fill_name_buckets).
// Returns indexes into `names`, in the order of the names table: by text.
Result<std::vector<std::uint32_t>> sort_names(std::span<const PlannedName> names);

// Returns their hashes, sorted; the name of each is a position in by_text.
std::vector<HashedName> hash_names(std::span<const PlannedName> names, std::span<const std::uint32_t> by_text);

}  // namespace fardel
