// The names of a plan in the two orders of the format, and the proof that they can live in one tree.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct SortedNames {
    struct Hashed {
        std::uint64_t hash = 0;   // name_hash of the text
        std::uint32_t name = 0;   // position in by_text
    };
    std::vector<std::uint32_t> by_text;   // indexes into the plan's names; the order of the names table
    std::vector<Hashed> by_hash;          // by (hash, name); the order of the name index
    std::vector<std::uint32_t> buckets;   // of by_hash: where each begins, and the end
};

// Errors: malformed (two names equal under case folding, a name that is also the folder of another), limit (more than
// kNameHashCollisionsMax names with one hash, or kBucketRecordsMax in one bucket).
Result<SortedNames> sort_names(std::span<const PlannedName> names);

}  // namespace fardel
