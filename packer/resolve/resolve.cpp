#include <fardel/packer/resolve.h>

#include "hard_references.h"
#include "reference_target.h"
#include "resolve_dependencies.h"
#include "resolve_graph.h"
#include "resolve_index.h"
#include "scan/reference_scanners.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/plan_consumes.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

using Node = ResolveGraph::Node;

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

// ---- One reference --------------------------------------------------------------------------------------------------

bool is_relative(const FoundReference& reference) {
    return reference.form == ReferenceForm::relative || reference.form == ReferenceForm::relative_uri;
}

struct Found {
    FoundTarget target;
    std::vector<Node> reached;  // inside the plan
    std::optional<PlannedConsume> consume;
};

// ---- All of them ----------------------------------------------------------------------------------------------------

class Resolver {
public:
    Resolver(const BundlePlan& plan, std::span<const AssetScan> scans, const ResolveOptions& options,
             const GameProfile& profile, ResolveDependencies dependencies)
        : plan_(plan),
          scans_(scans),
          options_(options),
          profile_(profile),
          dependencies_(std::move(dependencies)),
          index_(plan, scans, profile),
          graph_(plan, index_),
          hard_(scans, index_, graph_, profile) {}

    Result<ResolveResult> run() && {
        for (std::uint32_t asset = 0; asset < plan_.assets.size(); ++asset)
            FARDEL_TRY(resolve_asset(asset));
        FARDEL_TRY(add_companions());
        collect_consumes();
        const auto is_root = matching_names(options_.roots);
        const auto is_used = matching_names(options_.used);
        collect_missing(is_root, is_used);
        collect_broken();
        graph_.finish();
        FARDEL_TRY(collect_uses(is_root));
        FARDEL_TRY(collect_roots(is_root));
        FARDEL_TRY(collect_unused(is_root, is_used));
        return std::move(result_);
    }

private:
    // ---- References to targets ----

    // Other bundles can add variants to a published name.
    Found found_inside(std::uint32_t name) const {
        const PlannedName& planned = plan_.names[name];
        Found found{.target = {.target = PlannedReference::Internal{planned.variants.front().asset}, .name = name},
                    .reached = {graph_.whole(name)}};
        found.target.has_variants = planned.variants.size() > 1 || !planned.variants.front().tags.empty();
        if (found.target.has_variants || planned.published)
            found.target.target_name = planned.name.text();
        return found;
    }

    Found found_shader(std::span<const DefinitionIndex> definitions) const {
        if (profile_.last_script_defines)
            definitions = definitions.first(1);
        Found found{.target = {.target = PlannedReference::Internal{index_.definitions()[definitions.front()].asset},
                               .shader = true}};
        for (const DefinitionIndex definition : definitions)
            found.reached.push_back(graph_.shader(definition));
        return found;
    }

    Result<std::optional<Found>> find_existing(const NameCandidate& candidate) {
        if (candidate.kind == CandidateKind::shader) {
            if (const auto definitions = index_.find_definitions(candidate.name); !definitions.empty())
                return std::optional(found_shader(definitions));
        } else if (const auto name = index_.find_name(candidate.name)) {
            return std::optional(found_inside(*name));
        }
        FARDEL_TRY_ASSIGN(const auto foreign, candidate.kind == CandidateKind::shader
                                                  ? dependencies_.find_shader(candidate.name)
                                                  : dependencies_.find_name(candidate.name));
        if (!foreign)
            return std::optional<Found>();
        return std::optional(Found{.target = *foreign});
    }

    bool is_consumed(const NameCandidate& candidate) const {
        return candidate.kind == CandidateKind::asset &&
               std::ranges::any_of(options_.consumed,
                                   [&](const std::string& glob) { return glob_matches(glob, candidate.name); });
    }

    // If candidates with several extensions are consumed, the bundle consumes the name with any extension.
    std::optional<Found> find_consumed(const FoundReference& reference,
                                       std::span<const NameCandidate> candidates) const {
        const auto first = std::ranges::find_if(candidates, [&](const NameCandidate& one) { return is_consumed(one); });
        if (first == candidates.end())
            return std::nullopt;
        PlannedConsume consume{.text = first->name,
                               .optional = reference.optional || reference.use == ReferenceUse::shader};
        std::string any_extension = first->name.substr(0, first->name.rfind('.')) + ".*";
        if (std::count_if(candidates.begin(), candidates.end(),
                          [&](const NameCandidate& one) { return is_consumed(one); }) > 1 &&
            verify_glob(any_extension)) {
            consume.text = std::move(any_extension);
            consume.pattern = true;
        }
        return Found{.target = {.target = PlannedReference::Dynamic{first->name}}, .consume = std::move(consume)};
    }

    Result<std::optional<Found>> find(const FoundReference& reference, std::span<const NameCandidate> candidates) {
        for (const NameCandidate& candidate : candidates) {
            FARDEL_TRY_ASSIGN(auto found, find_existing(candidate));
            if (found)
                return found;
        }
        return find_consumed(reference, candidates);
    }

    void add_edges(std::span<const Node> sources, const Found& found, bool optional) {
        for (const Node source : sources)
            for (const Node target : found.reached) {
                graph_.add_edge(source, target);
                if (!optional)
                    hard_.add_edge(source, target);
            }
    }

    void add_missing(std::uint32_t asset, std::string_view from, std::span<const Node> sources,
                     const FoundReference& reference, std::span<const NameCandidate> candidates) {
        Missing& missing = missing_[{std::string(from), reference.spelling, reference.use, reference.form}];
        missing.asset = asset;
        missing.occurrences.push_back(
            {.reference = reference, .sources = std::vector<Node>(sources.begin(), sources.end())});
        if (missing.tried.empty())
            for (const NameCandidate& candidate : candidates)
                missing.tried.push_back(candidate.name);
    }

    void add_consume(const PlannedConsume& consume) {
        const auto placed = consumes_.try_emplace(consume.text, consume);
        placed.first->second.optional = placed.first->second.optional && consume.optional;
    }

    // Resolves `reference` as part of the file `from`, whose nodes are `sources`. The target is empty if it is missing.
    Result<FoundTarget> resolve_reference(std::uint32_t asset, const FoundReference& reference, std::string_view from,
                                          std::span<const Node> sources) {
        const auto candidates = candidate_names(reference, from, profile_);
        FARDEL_TRY_ASSIGN(auto found, find(reference, candidates));
        if (!found) {
            add_missing(asset, from, sources, reference, candidates);
            return FoundTarget();
        }
        add_edges(sources, *found, reference.optional);
        if (found->consume)
            add_consume(*found->consume);
        return std::move(found->target);
    }

    // Resolves `reference` for all names of the asset. A relative spelling may mean another file for each name; then
    // the target is empty.
    Result<FoundTarget> resolve_reference(std::uint32_t asset, const FoundReference& reference) {
        const auto names = index_.names_of(asset);
        std::vector<Node> sources;
        if (reference.defined_in != kNoDefinition)
            sources = {graph_.shader(index_.definition_at(asset, reference.defined_in))};
        if (!is_relative(reference) || names.size() < 2) {
            if (reference.defined_in == kNoDefinition)
                std::ranges::transform(names, std::back_inserter(sources),
                                       [&](std::uint32_t name) { return graph_.name(name); });
            return resolve_reference(asset, reference, index_.name_of(asset), sources);
        }
        std::optional<FoundTarget> all;
        bool alike = true;
        for (const std::uint32_t name : names) {
            const Node node = graph_.name(name);
            FARDEL_TRY_ASSIGN(
                const FoundTarget found,
                resolve_reference(asset, reference, plan_.names[name].name.view(),
                                  sources.empty() ? std::span<const Node>(&node, 1) : std::span<const Node>(sources)));
            if (!all)
                all = found;
            alike = alike && all->target == found.target;
            if (all->target_name != found.target_name)
                all->target_name.clear();
        }
        return alike ? *all : FoundTarget();
    }

    Result<bool> is_found(std::span<const FoundReference> references, std::string_view from) {
        for (const FoundReference& reference : references) {
            FARDEL_TRY_ASSIGN(const auto found, find(reference, candidate_names(reference, from, profile_)));
            if (found)
                return true;
        }
        return false;
    }

    // Returns one reference per side if any side of the sky box exists; otherwise none, and the box is reported once as
    // missing.
    Result<std::vector<FoundReference>> find_sides(const FoundReference& reference, std::string_view from) {
        if (reference.use != ReferenceUse::sky_box)
            return std::vector<FoundReference>();
        auto sides = sky_box_sides(reference);
        FARDEL_TRY_ASSIGN(const bool found, is_found(sides, from));
        if (!found)
            sides.clear();
        return sides;
    }

    Result<FoundTarget> add_reference(std::uint32_t asset, const FoundReference& reference,
                                      std::vector<PlannedReference>& references) {
        ++result_.audit.references;
        FARDEL_TRY_ASSIGN(FoundTarget found, resolve_reference(asset, reference));
        if (found.target) {
            ++result_.audit.resolved;
            references.push_back({.spelling = reference.spelling,
                                  .target = *found.target,
                                  .optional = reference.optional,
                                  .name = found.target_name});
        }
        return found;
    }

    Status resolve_asset(std::uint32_t asset) {
        ResolvedAsset& resolved = result_.assets.emplace_back();
        for (const FoundReference& reference : scans_[asset].findings.references) {
            FARDEL_TRY_ASSIGN(const auto sides, find_sides(reference, index_.name_of(asset)));
            FoundTarget found;
            if (sides.empty()) {
                FARDEL_TRY_ASSIGN(found, add_reference(asset, reference, resolved.references));
            }
            for (const FoundReference& side : sides)
                FARDEL_TRY(add_reference(asset, side, resolved.references));
            resolved.targets.push_back(std::move(found));
        }
        settle_references(resolved.references);
        return ok();
    }

    // The companions of a name are in its closure. They are not in its bytes, so no link table has them, and none of
    // them is missing.
    Status add_companions() {
        if (profile_.companions.empty())
            return ok();
        for (std::uint32_t name = 0; name < plan_.names.size(); ++name)
            for (const FoundReference& companion : companions_of(plan_.names[name].name.view(), profile_))
                for (const NameCandidate& candidate : candidate_names(companion, {}, profile_))
                    if (const auto found = index_.find_name(candidate.name)) {
                        graph_.add_edge(graph_.name(name), graph_.whole(*found));
                        break;
                    }
        return ok();
    }

    // ---- Results ----

    void collect_consumes() {
        for (auto& consume : consumes_)
            result_.consumes.push_back(std::move(consume.second));
    }

    // A missing reference is hard if one of its occurrences is.
    void collect_missing(std::vector<bool> in_use, const std::vector<bool>& is_used) {
        for (std::size_t name = 0; name < in_use.size(); ++name)
            in_use[name] = in_use[name] || is_used[name];
        hard_.finish(in_use);
        for (auto& [key, missing] : missing_) {
            const auto why_soft = [&, asset = missing.asset](const Occurrence& one) {
                return hard_.why_soft(asset, one.reference);
            };
            auto shown = std::ranges::find(missing.occurrences, std::string(), why_soft);
            const bool hard = shown != missing.occurrences.end();
            if (!hard)
                shown = missing.occurrences.begin();
            MissingReference entry{.from = std::get<0>(key),
                                   .reference = shown->reference,
                                   .tried = std::move(missing.tried),
                                   .why_soft = why_soft(*shown)};
            auto& list = hard ? result_.audit.missing : result_.audit.soft;
            for (const Occurrence& one : missing.occurrences)
                for (const Node source : hard&& why_soft(one).empty() ? one.sources : std::vector<Node>())
                    graph_.add_missing(source, static_cast<std::uint32_t>(list.size()));
            list.push_back(std::move(entry));
        }
    }

    void collect_broken() {
        for (std::uint32_t asset = 0; asset < scans_.size(); ++asset)
            if (!scans_[asset].broken.empty())
                result_.audit.broken.push_back(
                    {.name = std::string(index_.name_of(asset)), .reason = scans_[asset].broken});
        std::ranges::sort(result_.audit.broken, {}, &BrokenAsset::name);
    }

    std::vector<bool> matching_names(std::span<const std::string> globs) {
        std::vector<bool> matching(plan_.names.size());
        for (const std::string& glob : globs) {
            bool idle = true;
            for (std::uint32_t name = 0; name < plan_.names.size(); ++name)
                if (!plan_.names[name].variants.empty() && glob_matches(glob, plan_.names[name].name.view())) {
                    matching[name] = true;
                    idle = false;
                }
            if (idle)
                result_.audit.idle_patterns.push_back(glob);
        }
        return matching;
    }

    Status collect_uses(const std::vector<bool>& is_root) {
        for (std::uint32_t name = 0; name < plan_.names.size(); ++name) {
            FARDEL_TRY_ASSIGN(auto uses, graph_.uses_of(name, is_root[name]));
            result_.uses.push_back(std::move(uses));
        }
        return ok();
    }

    std::uint64_t size_of(std::span<const std::uint32_t> names) const {
        std::vector<std::uint32_t> assets;
        for (const std::uint32_t name : names)
            for (const PlannedVariant& variant : plan_.names[name].variants)
                assets.push_back(variant.asset);
        std::ranges::sort(assets);
        assets.erase(std::unique(assets.begin(), assets.end()), assets.end());
        return std::accumulate(assets.begin(), assets.end(), std::uint64_t{0},
                               [&](std::uint64_t sum, std::uint32_t asset) { return sum + scans_[asset].size_bytes; });
    }

    Status collect_roots(const std::vector<bool>& is_root) {
        for (std::uint32_t name = 0; name < plan_.names.size(); ++name) {
            if (!is_root[name])
                continue;
            const Node start = graph_.whole(name);
            FARDEL_TRY_ASSIGN(auto reached, graph_.reach(std::span(&start, 1)));
            const std::uint64_t size = size_of(reached.names);
            result_.audit.roots.push_back({.root = plan_.names[name].name.text(),
                                           .names = std::move(reached.names),
                                           .size_bytes = size,
                                           .missing = std::move(reached.missing)});
        }
        std::ranges::sort(result_.audit.roots, {}, &RootClosure::root);
        return ok();
    }

    Result<std::vector<bool>> reached_from(const std::vector<bool>& starts) {
        std::vector<Node> nodes;
        for (std::uint32_t name = 0; name < starts.size(); ++name)
            if (starts[name])
                nodes.push_back(graph_.whole(name));
        FARDEL_TRY_ASSIGN(const auto reached, graph_.reach(nodes));
        std::vector<bool> out(starts.size());
        for (const std::uint32_t name : reached.names)
            out[name] = true;
        return out;
    }

    Status collect_unused(const std::vector<bool>& is_root, const std::vector<bool>& is_used) {
        if (options_.roots.empty())
            return ok();
        FARDEL_TRY_ASSIGN(const auto by_roots, reached_from(is_root));
        FARDEL_TRY_ASSIGN(const auto by_code, reached_from(is_used));
        for (std::uint32_t name = 0; name < plan_.names.size(); ++name) {
            if (by_roots[name] || plan_.names[name].variants.empty())
                continue;
            if (by_code[name])
                ++result_.audit.by_code;
            else
                result_.audit.unused.push_back(
                    {.name = plan_.names[name].name.text(), .size_bytes = size_of(std::span(&name, 1))});
        }
        std::ranges::sort(result_.audit.unused, {}, &UnusedAsset::name);
        return ok();
    }

    struct Occurrence {
        FoundReference reference;
        std::vector<Node> sources;
    };
    struct Missing {
        std::uint32_t asset = 0;
        std::vector<Occurrence> occurrences;
        std::vector<std::string> tried;
    };

    const BundlePlan& plan_;
    std::span<const AssetScan> scans_;
    const ResolveOptions& options_;
    const GameProfile& profile_;
    ResolveDependencies dependencies_;
    ResolveIndex index_;
    ResolveGraph graph_;
    HardReferences hard_;
    std::map<std::tuple<std::string, std::string, ReferenceUse, ReferenceForm>, Missing> missing_;
    std::map<std::string, PlannedConsume> consumes_;
    ResolveResult result_;
};

}  // namespace

Result<ResolveResult> resolve_plan(const BundlePlan& plan, std::span<const AssetScan> assets,
                                   const ResolveOptions& options) {
    FARDEL_TRY(verify_input(plan, assets, options));
    FARDEL_TRY_ASSIGN(ResolveDependencies dependencies, ResolveDependencies::open(plan, options.dependencies));
    const GameProfile no_game;
    return Resolver(plan, assets, options, options.profile ? *options.profile : no_game, std::move(dependencies)).run();
}

}  // namespace fardel
