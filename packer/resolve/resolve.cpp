#include <fardel/packer/resolve.h>

#include "hard_references.h"
#include "linked_references.h"
#include "resolve_dependencies.h"
#include "resolve_graph.h"
#include "resolve_index.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/plan_consumes.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

// ---- Input ----------------------------------------------------------------------------------------------------------

Error bad_input(std::string what) { return Error(ErrorCode::malformed, std::move(what)); }

Status verify_globs(std::span<const std::string> globs) {
    for (const std::string& glob : globs)
        if (Status good = verify_glob(glob); !good)
            return std::move(good).error().with_context("glob \"" + printable(glob) + "\"");
    return ok();
}

Status verify_input(const BundlePlan& plan, std::span<const AssetScan> scans, const ResolveOptions& options) {
    if (scans.size() != plan.assets.size())
        return bad_input(std::to_string(plan.assets.size()) + " assets, of which " + std::to_string(scans.size()) +
                         " are scanned");
    for (const PlannedName& name : plan.names)
        for (const PlannedVariant& variant : name.variants)
            if (variant.asset >= plan.assets.size())
                return bad_input("name \"" + printable(name.name.view()) + "\": no planned asset " +
                                 std::to_string(variant.asset));
    for (const AssetScan& scan : scans)
        for (const FoundReference& reference : scan.findings.references)
            if (reference.defined_in != kNoDefinition && reference.defined_in >= scan.findings.defines.size())
                return bad_input("reference \"" + printable(reference.spelling) + "\" belongs to no definition");
    FARDEL_TRY(verify_consumes(plan));
    FARDEL_TRY(verify_globs(options.roots));
    FARDEL_TRY(verify_globs(options.used));
    return verify_globs(options.consumed);
}

constexpr std::string_view kOtherFormat = "of another format";

// ---- Findings -------------------------------------------------------------------------------------------------------

// Returns per name of the plan whether one of the globs matches it. Adds globs that match nothing to `idle`.
std::vector<bool> match_names(const BundlePlan& plan, std::span<const std::string> globs,
                              std::vector<std::string>& idle) {
    std::vector<bool> matching(plan.names.size());
    for (const std::string& glob : globs) {
        bool is_idle = true;
        for (std::size_t name = 0; name < plan.names.size(); ++name)
            if (!plan.names[name].variants.empty() && glob_matches(glob, plan.names[name].name.view())) {
                matching[name] = true;
                is_idle = false;
            }
        if (is_idle)
            idle.push_back(glob);
    }
    return matching;
}

// Lists the missing references. One is hard if one of its occurrences is. Returns edges from nodes to hard ones, as
// indices into ReferenceAudit::missing.
std::vector<ResolveEdge> list_missing(const LinkedReferences& linked, const HardReferences& hard,
                                      ReferenceAudit& audit) {
    std::vector<ResolveEdge> edges;
    for (const auto& [key, missing] : linked.missing) {
        const auto why_soft = [&hard, asset = missing.asset](const MissingOccurrences::One& one) {
            return hard.why_soft(asset, one.reference);
        };
        auto shown = std::ranges::find(missing.occurrences, std::string(), why_soft);
        const bool is_hard = shown != missing.occurrences.end();
        if (!is_hard)
            shown = missing.occurrences.begin();
        auto& list = is_hard ? audit.missing : audit.soft;
        for (const MissingOccurrences::One& one : missing.occurrences)
            if (is_hard && why_soft(one).empty())
                for (const ResolveNode source : one.sources)
                    edges.emplace_back(source, static_cast<std::uint32_t>(list.size()));
        list.push_back({.from = std::get<0>(key),
                        .reference = shown->reference,
                        .tried = missing.tried,
                        .why_not_tried = missing.why_not_tried,
                        .why_soft = why_soft(*shown)});
    }
    return edges;
}

std::vector<BrokenAsset> list_broken(const ResolveInput& input, const HardReferences& hard,
                                     const std::vector<bool>& is_root) {
    std::vector<BrokenAsset> broken;
    for (std::uint32_t asset = 0; asset < input.scans.size(); ++asset) {
        const AssetScan& scan = input.scans[asset];
        const auto names = input.index.names_of(asset);
        const bool roots = std::ranges::any_of(names, [&](std::uint32_t name) { return is_root[name]; });
        const auto add = [&](const std::string& reason, BrokenKind kind, std::string_view why_soft = {}) {
            broken.push_back({.name = std::string(input.index.name_of(asset)),
                              .reason = reason,
                              .kind = kind,
                              .why_soft = roots              ? std::string()
                                          : why_soft.empty() ? hard.why_file_soft(asset)
                                                             : std::string(why_soft)});
        };
        if (!scan.broken.empty())
            add(scan.broken, BrokenKind::whole);
        if (!scan.findings.other_format.empty())
            add(scan.findings.other_format, BrokenKind::other_format, kOtherFormat);
        for (const std::string& mistake : scan.findings.mistakes)
            add(mistake, BrokenKind::part);
    }
    std::ranges::stable_sort(broken, {}, &BrokenAsset::name);
    return broken;
}

// Each spelling of a file once.
std::vector<RespelledReference> list_respelled(LinkedReferences& linked, const HardReferences& hard) {
    std::vector<RespelledReference> respelled;
    for (RespelledOccurrence& one : linked.respelled)
        if (hard.why_soft(one.asset, one.respelled.reference).empty())
            respelled.push_back(std::move(one.respelled));
    const auto key = [](const RespelledReference& one) {
        return std::tie(one.from, one.reference.spelling, one.reference.use);
    };
    std::ranges::stable_sort(respelled, {}, key);
    const auto same = [&](const RespelledReference& a, const RespelledReference& b) { return key(a) == key(b); };
    respelled.erase(std::unique(respelled.begin(), respelled.end(), same), respelled.end());
    return respelled;
}

// Returns the sum of the sizes of the distinct assets of the names.
std::uint64_t size_of(const ResolveInput& input, std::span<const std::uint32_t> names) {
    std::vector<std::uint32_t> assets;
    for (const std::uint32_t name : names)
        for (const PlannedVariant& variant : input.plan.names[name].variants)
            assets.push_back(variant.asset);
    std::ranges::sort(assets);
    assets.erase(std::unique(assets.begin(), assets.end()), assets.end());
    return std::accumulate(assets.begin(), assets.end(), std::uint64_t{0},
                           [&](std::uint64_t sum, std::uint32_t asset) { return sum + input.scans[asset].size_bytes; });
}

Result<std::vector<RootClosure>> list_roots(const ResolveInput& input, const std::vector<bool>& is_root,
                                            ResolveGraph& graph) {
    std::vector<RootClosure> roots;
    for (std::uint32_t name = 0; name < is_root.size(); ++name) {
        if (!is_root[name])
            continue;
        const ResolveNode start = input.nodes.whole(name);
        FARDEL_TRY_ASSIGN(auto reached, graph.reach(std::span(&start, 1)));
        const std::uint64_t size = size_of(input, reached.names);
        roots.push_back({.root = input.plan.names[name].name.text(),
                         .names = std::move(reached.names),
                         .size_bytes = size,
                         .missing = std::move(reached.missing)});
    }
    std::ranges::sort(roots, {}, &RootClosure::root);
    return roots;
}

Result<std::vector<bool>> reached_from(const ResolveNodes& nodes, const std::vector<bool>& starts,
                                       ResolveGraph& graph) {
    std::vector<ResolveNode> wholes;
    for (std::uint32_t name = 0; name < starts.size(); ++name)
        if (starts[name])
            wholes.push_back(nodes.whole(name));
    FARDEL_TRY_ASSIGN(const auto reached, graph.reach(wholes));
    std::vector<bool> out(starts.size());
    for (const std::uint32_t name : reached.names)
        out[name] = true;
    return out;
}

Status list_unused(const ResolveInput& input, const std::vector<bool>& is_root, const std::vector<bool>& is_used,
                   ResolveGraph& graph, ReferenceAudit& audit) {
    if (input.options.roots.empty())
        return ok();
    FARDEL_TRY_ASSIGN(const auto by_roots, reached_from(input.nodes, is_root, graph));
    FARDEL_TRY_ASSIGN(const auto by_code, reached_from(input.nodes, is_used, graph));
    for (std::uint32_t name = 0; name < input.plan.names.size(); ++name) {
        const PlannedName& planned = input.plan.names[name];
        if (by_roots[name] || planned.variants.empty())
            continue;
        if (by_code[name])
            ++audit.by_code;
        else
            audit.unused.push_back({.name = planned.name.text(), .size_bytes = size_of(input, std::span(&name, 1))});
    }
    std::ranges::sort(audit.unused, {}, &UnusedAsset::name);
    return ok();
}

Result<std::vector<std::vector<std::uint32_t>>> list_uses(const std::vector<bool>& is_root, ResolveGraph& graph) {
    std::vector<std::vector<std::uint32_t>> uses;
    for (std::uint32_t name = 0; name < is_root.size(); ++name) {
        FARDEL_TRY_ASSIGN(uses.emplace_back(), graph.uses_of(name, is_root[name]));
    }
    return uses;
}

}  // namespace

bool is_complete(const ReferenceAudit& audit) {
    const auto is_soft = [](const BrokenAsset& one) { return !one.why_soft.empty(); };
    return audit.missing.empty() && std::ranges::all_of(audit.broken, is_soft);
}

Result<ResolveResult> resolve_plan(const BundlePlan& plan, std::span<const AssetScan> assets,
                                   const ResolveOptions& options) {
    FARDEL_TRY(verify_input(plan, assets, options));
    FARDEL_TRY_ASSIGN(ResolveDependencies dependencies,
                      ResolveDependencies::open(plan, options.dependencies, options.bases));
    const GameProfile no_game;
    const GameProfile& profile = options.profile ? *options.profile : no_game;
    const ResolveIndex index(plan, assets, profile);
    const ResolveNodes nodes(plan, index);
    const ResolveInput input{plan, assets, options, profile, index, nodes, dependencies};
    FARDEL_TRY_ASSIGN(LinkedReferences linked, link_references(input));

    ResolveResult result;
    ReferenceAudit& audit = result.audit;
    audit.references = linked.references;
    audit.resolved = linked.resolved;
    const auto is_root = match_names(plan, options.roots, audit.idle_patterns);
    const auto is_used = match_names(plan, options.used, audit.idle_patterns);
    const HardReferences hard(input, std::move(linked.hard_edges), is_root, is_used);
    auto missing_edges = list_missing(linked, hard, audit);
    audit.broken = list_broken(input, hard, is_root);
    audit.respelled = list_respelled(linked, hard);
    ResolveGraph graph(nodes, index, std::move(linked.edges), std::move(missing_edges));
    FARDEL_TRY_ASSIGN(result.uses, list_uses(is_root, graph));
    FARDEL_TRY_ASSIGN(audit.roots, list_roots(input, is_root, graph));
    FARDEL_TRY(list_unused(input, is_root, is_used, graph, audit));
    result.assets = std::move(linked.assets);
    for (auto& consume : linked.consumes)
        result.consumes.push_back(std::move(consume.second));
    return result;
}

}  // namespace fardel
