// Splits one plan into several bundles: decides the bundle of each name, and which bundle needs which. Pure;
// deterministic.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

enum class SplitPolicy : std::uint8_t {
    one,       // a single bundle
    per_root,  // one bundle per root; what several roots share goes into common bundles that they need
    by_size,   // as few bundles as fit the budget, neighbours by name together
};

struct SplitInput {
    std::uint64_t size_bytes = 0;     // of the name's assets; shared bytes count for the first name
    std::vector<std::uint32_t> uses;  // other names, ascending
};

// Variants with a tag of the axis go into bundles of their own.
struct SplitAxis {
    std::string axis;
    std::string value;  // if not empty, only variants with this one, and also if they are the default of their name
};

struct SplitOptions {
    SplitPolicy policy = SplitPolicy::one;
    // by_size: the largest size of one bundle. per_root: smaller common bundles are merged.
    std::uint64_t bytes_max = 0;
    std::vector<SplitAxis> axes;  // instead of a policy: see split_variants
};

struct SplitBundle {
    std::string name;  // is appended to the bundle's name: "maps/dm01", "common-2"; empty if there is one bundle only
    std::vector<std::uint32_t> names;  // ascending
    std::vector<std::uint32_t> needs;  // indices of other bundles, all before this one
};

// `names`: texts for the bundles' names, one per input. `roots`: indices. Each name is in exactly one bundle. The names
// of a bundle use only names of that bundle and of what it needs, directly or indirectly; an exception are cycles
// between roots, which go into common bundles. Errors: limit (one name is larger than the budget), malformed (an index,
// no root).
Result<std::vector<SplitBundle>> plan_split(std::span<const std::string> names, std::span<const SplitInput> inputs,
                                            std::span<const std::uint32_t> roots, const SplitOptions& options);

}  // namespace fardel
