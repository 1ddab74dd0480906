// The names of a plan in the two orders of the format, checked to fit in one tree.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/name_buckets.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct SortedNames {
    std::vector<std::uint32_t> by_text;     // indexes into the plan's names; the order of the names table
    std::vector<HashedName> by_hash;        // in order of HashedName; its name is a position in by_text
    std::vector<NameBucketRecord> buckets;  // without the texts
};

// Errors: malformed (two names equal under case folding, a name that is also the folder of another), limit (more than
// kNameHashCollisionsMax names with one hash, or those of fill_name_buckets).
Result<SortedNames> sort_names(std::span<const PlannedName> names);

}  // namespace fardel
