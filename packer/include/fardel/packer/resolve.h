// Links a bundle: what its assets name is looked for inside, in static dependencies, and in what others publish.
//
// Pure but for reading dependencies. Gives every reference its target, deduces what the bundle consumes, and tells what
// is missing and what nobody uses. docs/linking.md is the manual.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>
#include <fardel/packer/references.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// One asset of the plan, scanned.
struct ScannedAsset {
    ScanFindings findings;
    std::string broken;  // why it could not be scanned; empty: it was
};

struct MissingReference {
    std::string from;  // logical name
    FoundReference reference;
    std::vector<std::string> tried;  // the names that would have been taken, in order
};

struct UnusedAsset {
    std::string name;
    std::uint64_t size_bytes = 0;
};

struct BrokenAsset {
    std::string name;
    std::string reason;
};

// The closure of one root: a map, as a rule.
struct RootClosure {
    std::string root;                    // logical name
    std::vector<std::uint32_t> names;    // indices into the plan's names, ascending, the root among them
    std::uint64_t size_bytes = 0;        // of its distinct assets
    std::vector<std::uint32_t> missing;  // indices into ReferenceAudit::missing
};

struct ReferenceAudit {
    std::vector<MissingReference> missing;  // by (from, spelling, use)
    std::vector<UnusedAsset> unused;        // reached from no root and no `used` pattern; by name
    std::vector<BrokenAsset> broken;        // by name
    std::vector<RootClosure> roots;         // by name
    std::uint64_t references = 0;
    std::uint64_t resolved = 0;              // of those
    std::vector<std::string> idle_patterns;  // of roots and used, those that match nothing
    std::uint64_t by_code = 0;               // names kept in use by `used` patterns alone
};

struct ResolveOptions {
    std::vector<std::string> roots;     // globs over names: where a game starts from; empty: nothing is unused
    std::vector<std::string> used;      // globs: what only the game's code names
    std::vector<std::string> consumed;  // globs: what others publish, so it is not missing here
    std::vector<std::shared_ptr<const Bundle>>
        dependencies;  // those of the plan that are at hand, static ones; by bundle id
};

// What one found reference leads to.
struct FoundTarget {
    std::optional<decltype(PlannedReference::target)>
        target;                         // nothing: missing, or another one behind each name of the asset
    std::optional<std::uint32_t> name;  // of the plan, where that was found inside
    bool shader = false;                // the target is the script that defines it
};

struct ResolveResult {
    // For each asset of the plan: what it refers to.
    std::vector<std::vector<PlannedReference>> references;
    std::vector<PlannedConsume> consumes;  // deduced: dynamic names that are not inside; by text
    std::vector<std::vector<std::uint32_t>>
        uses;  // for each name of the plan: names that it reaches directly; ascending
    std::vector<std::vector<FoundTarget>>
        targets;                  // for each asset, one a reference that was found in it; empty of a sky box
    std::uint64_t rewritten = 0;  // assets whose spellings were replaced
    ReferenceAudit audit;
};

// `scanned`: one an asset of the plan. `sizes`: raw bytes of each. Errors: malformed (sizes that do not fit the plan, a
// glob), those of reading dependencies.
Result<ResolveResult> resolve_plan(const BundlePlan& plan, std::span<const ScannedAsset> scanned,
                                   std::span<const std::uint64_t> sizes, const ResolveOptions& options);

}  // namespace fardel
