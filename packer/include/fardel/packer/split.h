// Splits one plan into several bundles: which name goes where, and which bundle needs which. Pure; deterministic.
#pragma once

#include <fardel/format/result.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

enum class SplitPolicy : std::uint8_t {
    one,       // a single bundle
    per_root,  // one a root; what several roots share goes into common bundles, below them
    by_size,   // as few as fit the budget, neighbours by name together
};

struct SplitInput {
    std::uint64_t size_bytes = 0;     // of the name's assets; shared bytes count for the first name
    std::vector<std::uint32_t> uses;  // other names, ascending
};

struct SplitOptions {
    SplitPolicy policy = SplitPolicy::one;
    std::uint64_t bytes_max = 0;  // by_size: of one bundle. per_root: common bundles smaller than this are merged
};

struct SplitBundle {
    std::string name;  // what is appended to the bundle's name: "maps/dm01", "common-2"; empty: the only one
    std::vector<std::uint32_t> names;  // ascending
    std::vector<std::uint32_t> needs;  // other bundles, by index: all of them before this one
};

// `names`: texts for the bundles' names, one an input. `roots`: indices. Each name is in exactly one bundle; a bundle's
// names use only names of itself and of what it needs, directly or through those, but in cycles between roots, which
// the common bundles take. Errors: limit (one name is larger than the budget), malformed (an index, no root).
Result<std::vector<SplitBundle>> plan_split(std::span<const std::string> names, std::span<const SplitInput> inputs,
                                            std::span<const std::uint32_t> roots, const SplitOptions& options);

}  // namespace fardel
