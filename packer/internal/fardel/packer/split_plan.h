// Makes the plans of several bundles from one plan, as split.h decides, with references between the bundles.
//
// A bundle's id is known once the bundle is written. So the plans are written in their order, each one after fill_needs
// received the bundles that it needs. Reads written bundles; otherwise pure.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/packer/asset_scan.h>
#include <fardel/packer/resolve.h>
#include <fardel/packer/split.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// A reference to an asset of another part, in which it has the name `name`.
struct PartReference {
    std::uint32_t asset = 0;  // of the part's plan
    std::string spelling;
    bool optional = false;
    std::uint32_t part = 0;
    std::string name;
};

struct SplitPart {
    std::string name;  // as in SplitBundle
    BundlePlan plan;
    std::vector<std::uint32_t> needs;       // other parts, all before this one
    std::vector<PartReference> references;  // fill_needs moves them into the plan
};

// One part per bundle, in order. Each part has the dependencies of the whole plan, and consumes what its own assets
// name. A reference to an asset that is neither in the part nor in one that it needs becomes dynamic and optional.
// Errors: malformed (assets or references that do not match the plan), those of plan_split.
Result<std::vector<SplitPart>> split_plan(const BundlePlan& plan, std::span<const AssetScan> assets,
                                          const ResolveResult& resolved, const SplitOptions& options);

// One part for the plan, without a name of its own, and behind it one for each combination of values that variants have
// on these axes, "lang-fr": it adds these variants to the names of the first part, which it needs. The default of a
// name stays in the first part, unless it has the very value of a SplitAxis, and so does what is not published. A name
// that keeps no variant is one of the other part alone. Nothing if no variant has such a tag. `resolved`:
// nullptr if no reference was resolved. Errors: malformed (references that do not match the plan).
Result<std::vector<SplitPart>> split_variants(const BundlePlan& plan, const ResolveResult* resolved,
                                              std::span<const SplitAxis> axes);

// Adds the written bundles that `part` needs as static dependencies of its plan. `written`: one per part, of which
// those that `part` needs are set. Errors: malformed (a needed bundle is absent, or lacks an asset), those of reading a
// bundle.
Status fill_needs(SplitPart& part, std::span<const std::shared_ptr<const Bundle>> written);

}  // namespace fardel
