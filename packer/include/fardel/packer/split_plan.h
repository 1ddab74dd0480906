// The plans of several bundles out of one: what split.h decided, with references between the bundles.
//
// A bundle's id is known once it is written: plans are to be written in their order, each after fill_needs has been
// given those that it needs. Pure but for reading written bundles.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>
#include <fardel/packer/resolve.h>
#include <fardel/packer/split.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// A reference to an asset of another part, which has it behind `name`.
struct PartReference {
    std::uint32_t asset = 0;  // of the part's plan
    std::string spelling;
    bool optional = false;
    std::uint32_t part = 0;
    std::string name;
};

struct SplitPart {
    std::string name;  // as SplitBundle has it
    BundlePlan plan;
    std::vector<std::uint32_t> needs;       // other parts, all before this one
    std::vector<PartReference> references;  // that fill_needs turns into references
};

// One part a bundle, in their order. Each has the dependencies of the whole plan, and consumes what its own assets
// name; what a reference leads to and neither the part nor one that it needs has, is looked for at run time, and
// optional. Errors: malformed (bundles that do not fit the plan), those of plan_split.
Result<std::vector<SplitPart>> split_plan(const BundlePlan& plan, std::span<const std::uint64_t> sizes,
                                          const ResolveResult& resolved, const SplitOptions& options);

// `written`: one a part, those that it needs at least; they become static dependencies of its plan. Errors: malformed
// (one that is not there, or lacks what it should have), those of reading a bundle.
Status fill_needs(SplitPart& part, std::span<const std::shared_ptr<const Bundle>> written);

}  // namespace fardel
