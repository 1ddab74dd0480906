#include "linked_references.h"

#include "reference_target.h"
#include "scan/reference_scanners.h"

#include <fardel/base/ascii.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

// ---- Where one reference leads --------------------------------------------------------------------------------------

struct Found {
    FoundTarget target;
    std::vector<ResolveNode> reached;  // inside the plan
    std::optional<PlannedConsume> consume;
};

// Other bundles can add variants to a published name.
Found found_inside(const ResolveInput& input, std::uint32_t name) {
    const PlannedName& planned = input.plan.names[name];
    Found found{.target = {.target = PlannedReference::Internal{planned.variants.front().asset}, .name = name},
                .reached = {input.nodes.whole(name)}};
    found.target.has_variants = planned.variants.size() > 1 || !planned.variants.front().tags.empty();
    if (found.target.has_variants || planned.published)
        found.target.target_name = planned.name.text();
    return found;
}

// Whoever publishes the name gives the asset; the plan's own stays in the closure, because it may be that one.
Found made_dynamic(const ResolveInput& input, std::string_view name, Found found) {
    if (!input.options.dynamic_names.contains(std::string(name)))
        return found;
    found.target.target = PlannedReference::Dynamic{std::string(name)};
    found.target.target_name.clear();
    return found;
}

Found found_shader(const ResolveInput& input, std::span<const DefinitionIndex> definitions) {
    if (input.profile.last_script_defines)
        definitions = definitions.first(1);
    Found found{.target = {.target = PlannedReference::Internal{input.index.definitions()[definitions.front()].asset},
                           .shader = true}};
    for (const DefinitionIndex definition : definitions)
        found.reached.push_back(input.nodes.shader(definition));
    return found;
}

Result<std::optional<Found>> find_existing(const ResolveInput& input, const NameCandidate& candidate) {
    if (candidate.kind == CandidateKind::shader) {
        if (const auto definitions = input.index.find_definitions(candidate.name); !definitions.empty()) {
            const std::string_view script = input.index.name_of(input.index.definitions()[definitions.front()].asset);
            return std::optional(made_dynamic(input, script, found_shader(input, definitions)));
        }
    } else if (const auto name = input.index.find_name(candidate.name)) {
        Found found = found_inside(input, *name);
        const std::string_view text = input.plan.names[*name].name.view();
        if (candidate.is_respelled || text != candidate.name)
            found.target.respelled = text;
        return std::optional(made_dynamic(input, text, std::move(found)));
    }
    FARDEL_TRY_ASSIGN(auto foreign, candidate.kind == CandidateKind::shader
                                        ? input.dependencies.find_shader(candidate.name)
                                        : input.dependencies.find_name(candidate.name));
    return foreign ? std::optional(Found{.target = *std::move(foreign)}) : std::nullopt;
}

// If candidates with several extensions are consumed, the bundle consumes the name with any extension. Globs over
// folders say nothing about the extension, so a bare name is what another bundle has only if no other name may be.
std::optional<Found> find_consumed(std::span<const std::string> consumed, const FoundReference& reference,
                                   std::span<const NameCandidate> candidates) {
    const auto is_consumed = [&](const NameCandidate& one) {
        return one.kind == CandidateKind::asset &&
               std::ranges::any_of(consumed, [&](const std::string& glob) { return glob_matches(glob, one.name); });
    };
    const auto is_likely = [&](const NameCandidate& one) { return !one.is_bare && is_consumed(one); };
    auto first = std::ranges::find_if(candidates, is_likely);
    if (first == candidates.end())
        first = std::ranges::find_if(candidates, is_consumed);
    if (first == candidates.end())
        return std::nullopt;
    PlannedConsume consume{.text = first->name,
                           .optional = reference.optional || reference.use == ReferenceUse::shader};
    std::string any_extension = first->name.substr(0, first->name.rfind('.')) + ".*";
    if (std::ranges::count_if(candidates, is_likely) > 1 && verify_glob(any_extension)) {
        consume.text = std::move(any_extension);
        consume.pattern = true;
    }
    return Found{.target = {.target = PlannedReference::Dynamic{first->name}}, .consume = std::move(consume)};
}

Result<std::optional<Found>> find(const ResolveInput& input, const FoundReference& reference,
                                  std::span<const NameCandidate> candidates) {
    for (const NameCandidate& candidate : candidates) {
        FARDEL_TRY_ASSIGN(auto found, find_existing(input, candidate));
        if (found)
            return found;
    }
    return find_consumed(input.options.consumed, reference, candidates);
}

// Returns one reference per side if any side of the sky box exists; otherwise none, and the box is reported once as
// missing.
Result<std::vector<FoundReference>> find_sides(const ResolveInput& input, const FoundReference& reference,
                                               std::string_view from) {
    if (reference.use != ReferenceUse::sky_box)
        return std::vector<FoundReference>();
    auto sides = sky_box_sides(reference);
    for (const FoundReference& side : sides) {
        FARDEL_TRY_ASSIGN(const auto found, find(input, side, candidate_names(side, from, input.profile)));
        if (found)
            return sides;
    }
    return std::vector<FoundReference>();
}

using References = std::span<const FoundReference>;

// The references from `first` that belong to one statement; at least that one.
References statement_at(References references, std::size_t first) {
    std::size_t end = first + 1;
    while (references[first].statement != 0 && end < references.size() &&
           references[end].statement == references[first].statement)
        ++end;
    return references.subspan(first, end - first);
}

bool has_extension(std::string_view spelling) {
    const std::string_view behind = spelling.substr(std::min(spelling.rfind('.'), spelling.size()));
    return behind.size() > 1 && std::ranges::all_of(behind.substr(1), is_ascii_letter_or_digit);
}

// Which reading of a statement counts: the first one of which every reference leads somewhere. Otherwise one of them is
// missing: then the last reading, which is that of the format's specification, of those that lead somewhere; or of
// those whose names have extensions, so that "mtllib my house.mtl" is one missing file.
Result<std::uint32_t> choose_reading(const ResolveInput& input, References statement, std::string_view from) {
    struct Outcome {
        bool whole = true;
        bool any = false;
        bool named = true;
    };
    std::map<std::uint32_t, Outcome> readings;
    for (const FoundReference& reference : statement) {
        const auto candidates = candidate_names(reference, from, input.profile);
        FARDEL_TRY_ASSIGN(const auto found, find(input, reference, candidates));
        Outcome& outcome = readings[reference.reading];
        outcome.whole = outcome.whole && found;
        outcome.any = outcome.any || found;
        outcome.named = outcome.named && has_extension(reference.spelling);
    }
    for (const auto& [number, outcome] : readings)
        if (outcome.whole)
            return number;
    for (const auto flag : {&Outcome::any, &Outcome::named})
        for (auto reading = readings.rbegin(); reading != readings.rend(); ++reading)
            if (reading->second.*flag)
                return reading->first;
    return readings.rbegin()->first;
}

// ---- The references of one asset ------------------------------------------------------------------------------------

// A file that contains a reference, and the nodes that reach what it leads to.
struct Origin {
    std::string_view file;
    std::vector<ResolveNode> sources;
};

// A relative spelling may mean another file for each name of the asset.
std::vector<Origin> origins_of(const ResolveInput& input, std::uint32_t asset, const FoundReference& reference) {
    const bool is_relative = reference.form == ReferenceForm::relative || reference.form == ReferenceForm::relative_uri;
    const auto names = input.index.names_of(asset);
    std::vector<ResolveNode> sources;
    if (reference.defined_in != kNoDefinition)
        sources = {input.nodes.shader(input.index.definition_at(asset, reference.defined_in))};
    std::vector<Origin> origins;
    if (is_relative && names.size() > 1) {
        for (const std::uint32_t name : names)
            origins.push_back({.file = input.plan.names[name].name.view(),
                               .sources = sources.empty() ? std::vector{input.nodes.name(name)} : sources});
        return origins;
    }
    if (reference.defined_in == kNoDefinition)
        for (const std::uint32_t name : names)
            sources.push_back(input.nodes.name(name));
    origins.push_back({.file = input.index.name_of(asset), .sources = std::move(sources)});
    return origins;
}

// `statement`: all readings of the statement of `reference`.
void add_missing(const ResolveInput& input, std::uint32_t asset, const FoundReference& reference, const Origin& origin,
                 References statement, LinkedReferences& linked) {
    MissingOccurrences& missing =
        linked.missing[{std::string(origin.file), reference.spelling, reference.use, reference.form}];
    missing.asset = asset;
    missing.occurrences.push_back({.reference = reference, .sources = origin.sources});
    if (!missing.tried.empty())
        return;
    // Files have extensions, and people look for files: that the name without one is not there either says nothing
    // more.
    const auto add_tried = [&](const FoundReference& one) {
        for (const NameCandidate& candidate : candidate_names(one, origin.file, input.profile))
            if (!candidate.is_bare && std::ranges::find(missing.tried, candidate.name) == missing.tried.end())
                missing.tried.push_back(candidate.name);
    };
    for (const FoundReference& one : statement)
        if (one.reading < reference.reading)
            add_tried(one);
    add_tried(reference);
    missing.why_not_tried = why_no_candidate(reference, origin.file);
}

// Returns an empty target if it is missing.
Result<FoundTarget> link_from(const ResolveInput& input, std::uint32_t asset, const FoundReference& reference,
                              const Origin& origin, References statement, LinkedReferences& linked) {
    const auto candidates = candidate_names(reference, origin.file, input.profile);
    FARDEL_TRY_ASSIGN(auto found, find(input, reference, candidates));
    if (!found) {
        add_missing(input, asset, reference, origin, statement, linked);
        return FoundTarget();
    }
    if (!found->target.respelled.empty() && !input.options.fold_case)
        linked.respelled.push_back(
            {.asset = asset,
             .respelled = {.from = std::string(origin.file), .reference = reference, .name = found->target.respelled}});
    for (const ResolveNode source : origin.sources)
        for (const ResolveNode target : found->reached) {
            linked.edges.emplace_back(source, target);
            if (!reference.optional)
                linked.hard_edges.emplace_back(source, target);
        }
    if (found->consume) {
        const auto placed = linked.consumes.try_emplace(found->consume->text, *found->consume);
        placed.first->second.optional = placed.first->second.optional && found->consume->optional;
    }
    return std::move(found->target);
}

// Returns an empty target also if the reference means another file behind each name of the asset.
Result<FoundTarget> link_reference(const ResolveInput& input, std::uint32_t asset, const FoundReference& reference,
                                   References statement, LinkedReferences& linked) {
    std::optional<FoundTarget> all;
    bool alike = true;
    for (const Origin& origin : origins_of(input, asset, reference)) {
        FARDEL_TRY_ASSIGN(const FoundTarget found, link_from(input, asset, reference, origin, statement, linked));
        if (!all)
            all = found;
        alike = alike && all->target == found.target;
        if (all->target_name != found.target_name)
            all->target_name.clear();
    }
    ++linked.references;
    if (!alike || !all->target)
        return FoundTarget();
    ++linked.resolved;
    linked.assets[asset].references.push_back({.spelling = reference.spelling,
                                               .target = *all->target,
                                               .optional = reference.optional,
                                               .name = all->target_name});
    return *all;
}

Result<FoundTarget> link_sides(const ResolveInput& input, std::uint32_t asset, const FoundReference& reference,
                               LinkedReferences& linked) {
    FARDEL_TRY_ASSIGN(const auto sides, find_sides(input, reference, input.index.name_of(asset)));
    for (const FoundReference& side : sides)
        FARDEL_TRY(link_reference(input, asset, side, {}, linked));
    return sides.empty() ? link_reference(input, asset, reference, {}, linked) : FoundTarget();
}

Status link_asset(const ResolveInput& input, std::uint32_t asset, LinkedReferences& linked) {
    ResolvedAsset& resolved = linked.assets[asset];
    const References references = input.scans[asset].findings.references;
    for (std::size_t first = 0; first < references.size();) {
        const References statement = statement_at(references, first);
        first += statement.size();
        if (statement.front().statement == 0) {
            FARDEL_TRY_ASSIGN(FoundTarget found, link_sides(input, asset, statement.front(), linked));
            resolved.targets.push_back(std::move(found));
            continue;
        }
        FARDEL_TRY_ASSIGN(const std::uint32_t reading, choose_reading(input, statement, input.index.name_of(asset)));
        for (const FoundReference& reference : statement) {
            FoundTarget found{.is_unread = true};
            if (reference.reading == reading) {
                FARDEL_TRY_ASSIGN(found, link_reference(input, asset, reference, statement, linked));
            }
            resolved.targets.push_back(std::move(found));
        }
    }
    settle_references(resolved.references);
    return ok();
}

// The companions of a name are in its closure. They are not in its bytes, so no link table has them, and none of them
// is missing.
void link_companions(const ResolveInput& input, LinkedReferences& linked) {
    if (input.profile.companions.empty())
        return;
    for (std::uint32_t name = 0; name < input.plan.names.size(); ++name)
        for (const FoundReference& companion : companions_of(input.plan.names[name].name.view(), input.profile))
            for (const NameCandidate& candidate : candidate_names(companion, {}, input.profile))
                if (const auto found = input.index.find_name(candidate.name)) {
                    linked.edges.emplace_back(input.nodes.name(name), input.nodes.whole(*found));
                    break;
                }
}

}  // namespace

Result<LinkedReferences> link_references(const ResolveInput& input) {
    LinkedReferences linked;
    linked.assets.resize(input.plan.assets.size());
    for (std::uint32_t asset = 0; asset < linked.assets.size(); ++asset)
        FARDEL_TRY(link_asset(input, asset, linked));
    link_companions(input, linked);
    return linked;
}

}  // namespace fardel
