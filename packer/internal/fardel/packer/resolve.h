// Resolves the references of a plan: each is looked up in the bundle, in its static dependencies, and among the names
// that other bundles publish.
//
// Reads dependencies; otherwise pure. Gives every reference its target, deduces what the bundle consumes, and reports
// missing references and unused assets. docs/resolving.md is the manual.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/packer/asset_scan.h>
#include <fardel/packer/game_profile.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct UnusedAsset {
    std::string name;
    std::uint64_t size_bytes = 0;
};

// The closure of one root, which usually is a map.
struct RootClosure {
    std::string root;                    // logical name
    std::vector<std::uint32_t> names;    // indices into the plan's names, ascending, the root included
    std::uint64_t size_bytes = 0;        // of its distinct assets
    std::vector<std::uint32_t> missing;  // indices into ReferenceAudit::missing
};

struct ReferenceAudit {
    std::vector<MissingReference> missing;  // hard: the running game looks them up; by (from, spelling, use)
    std::vector<MissingReference> soft;     // missing, too, but not hard; by (from, spelling, use)
    std::vector<UnusedAsset> unused;        // reached from no root and no `used` pattern; by name
    std::vector<BrokenAsset> broken;        // by name
    // Hard references whose target is there under another spelling, such as another case; by (from, spelling, use).
    std::vector<RespelledReference> respelled;
    std::vector<RootClosure> roots;  // by name
    std::uint64_t references = 0;
    std::uint64_t resolved = 0;              // of those
    std::vector<std::string> idle_patterns;  // patterns of roots and used that match nothing
    std::uint64_t by_code = 0;               // number of names that only `used` patterns keep in use
};

// Whether the running game finds everything that was found to be looked up, and everything was looked into. Files of
// other formats need not be, unless they are roots.
bool is_complete(const ReferenceAudit& audit);

struct ResolveOptions {
    std::vector<std::string> roots;              // globs over names: where a game starts; empty: no asset is unused
    std::vector<std::string> used;               // globs: names that only the game's code contains
    std::vector<std::string> consumed;           // globs: names that other bundles publish, which are not missing here
    std::shared_ptr<const GameProfile> profile;  // the conventions of the game; empty: of no game
    std::vector<std::shared_ptr<const Bundle>> dependencies;  // static dependencies of the plan that could be opened
    std::vector<std::shared_ptr<const Bundle>> bases;  // mounted beside the plan: what they have is looked up there
    bool fold_case = false;                            // the game or its mounts do: no spelling is another one
    // Names of the plan whose references are resolved when the game runs, in the published tree: a mount above may
    // replace their assets.
    std::set<std::string> dynamic_names;
};

// What one found reference leads to.
struct FoundTarget {
    // Nothing if the reference is missing, or means another file behind each name of the asset.
    std::optional<decltype(PlannedReference::target)> target;
    std::optional<std::uint32_t> name;  // index into the plan's names, if the target is inside the plan
    std::string target_name;            // PlannedReference::name
    bool has_variants = false;          // of that name in its own bundle
    bool shader = false;                // the target is the script that defines the shader
    std::string respelled;              // the exact name of the target, if it was found only because case is folded
    bool is_unread = false;             // another reading of the statement counts
};

struct ResolvedAsset {
    std::vector<PlannedReference> references;  // its link table
    std::vector<FoundTarget> targets;          // one per reference of its ScanFindings; for a sky box an empty one
};

struct ResolveResult {
    std::vector<ResolvedAsset> assets;             // one per asset of the plan
    std::vector<PlannedConsume> consumes;          // deduced: dynamic names that are not in the bundle; by text
    std::vector<std::vector<std::uint32_t>> uses;  // per name of the plan: names that it reaches directly; ascending
    std::uint64_t rewritten = 0;                   // number of assets whose spellings were replaced
    ReferenceAudit audit;
};

// `assets`: one per asset of the plan, scanned. Errors: malformed (assets that do not match the plan, a glob), those of
// reading dependencies.
Result<ResolveResult> resolve_plan(const BundlePlan& plan, std::span<const AssetScan> assets,
                                   const ResolveOptions& options);

}  // namespace fardel
