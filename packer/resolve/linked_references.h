// LinkedReferences: every found reference of a plan, looked up in the bundle, in its static dependencies, and among the
// names that other bundles publish. The first stage of resolve_plan; what follows reads its result.
#pragma once

#include "resolve_dependencies.h"
#include "resolve_graph.h"
#include "resolve_index.h"

#include <fardel/base/result.h>
#include <fardel/packer/asset_scan.h>
#include <fardel/packer/game_profile.h>
#include <fardel/packer/resolve.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace fardel {

// The arguments of resolve_plan, which were checked, and what was derived from them.
struct ResolveInput {
    const BundlePlan& plan;
    std::span<const AssetScan> scans;
    const ResolveOptions& options;
    const GameProfile& profile;
    const ResolveIndex& index;
    const ResolveNodes& nodes;
    ResolveDependencies& dependencies;
};

// One missing reference of a file, which may spell it several times.
struct MissingOccurrences {
    struct One {
        FoundReference reference;
        std::vector<ResolveNode> sources;
    };
    std::uint32_t asset = 0;
    std::vector<One> occurrences;
    std::vector<std::string> tried;
    std::string why_not_tried;
};

// A reference of a file that leads to a name of another spelling.
struct RespelledOccurrence {
    std::uint32_t asset = 0;
    RespelledReference respelled;
};

// By file, spelling, use and form.
using MissingReferences =
    std::map<std::tuple<std::string, std::string, ReferenceUse, ReferenceForm>, MissingOccurrences>;

struct LinkedReferences {
    std::vector<ResolvedAsset> assets;               // one per asset of the plan
    std::map<std::string, PlannedConsume> consumes;  // by text
    MissingReferences missing;
    std::vector<RespelledOccurrence> respelled;
    std::vector<ResolveEdge> edges;       // inside the plan
    std::vector<ResolveEdge> hard_edges;  // those of references that are not optional
    std::uint64_t references = 0;
    std::uint64_t resolved = 0;  // of those
};

// Errors: those of reading dependencies.
Result<LinkedReferences> link_references(const ResolveInput& input);

}  // namespace fardel
