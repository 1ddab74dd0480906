#include <fardel/packer/split_plan.h>

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint32_t kNone = 0xffff'ffffu;

std::vector<SplitInput> inputs_of(const BundlePlan& plan, std::span<const AssetScan> assets,
                                  const ResolveResult& resolved) {
    std::vector<SplitInput> inputs(plan.names.size());
    std::vector<bool> counted(plan.assets.size());
    for (std::size_t name = 0; name < plan.names.size(); ++name) {
        inputs[name].uses = resolved.uses[name];
        for (const PlannedVariant& variant : plan.names[name].variants)
            if (!counted[variant.asset]) {
                counted[variant.asset] = true;
                inputs[name].size_bytes += assets[variant.asset].size_bytes;
            }
    }
    return inputs;
}

std::vector<std::uint32_t> roots_of(const BundlePlan& plan, const ReferenceAudit& audit) {
    std::map<std::string_view, std::uint32_t> names;
    for (std::uint32_t name = 0; name < plan.names.size(); ++name)
        names.emplace(plan.names[name].name.view(), name);
    std::vector<std::uint32_t> roots;
    for (const RootClosure& root : audit.roots)
        if (const auto at = names.find(root.root); at != names.end())
            roots.push_back(at->second);
    return roots;
}

class PlanSplit {
public:
    PlanSplit(const BundlePlan& plan, const ResolveResult& resolved, std::span<const SplitBundle> bundles)
        : plan_(plan),
          resolved_(resolved),
          bundles_(bundles),
          names_of_(plan.assets.size()),
          part_asset_of_(plan.assets.size(), kNone) {
        bundle_of_.resize(plan.names.size());
        for (std::uint32_t bundle = 0; bundle < bundles.size(); ++bundle)
            for (const std::uint32_t name : bundles[bundle].names)
                bundle_of_[name] = bundle;
        for (std::uint32_t name = 0; name < plan.names.size(); ++name)
            for (const PlannedVariant& variant : plan.names[name].variants)
                names_of_[variant.asset].push_back(name);
        for (std::uint32_t consume = 0; consume < plan.consumes.size(); ++consume)
            consumes_.emplace(plan.consumes[consume].text, consume);
        consumed_.resize(plan.consumes.size());
    }

    std::vector<SplitPart> run() && {
        std::vector<SplitPart> parts;
        for (std::uint32_t bundle = 0; bundle < bundles_.size(); ++bundle)
            parts.push_back(part_of(bundle));
        for (std::size_t consume = 0; consume < consumed_.size();
             ++consume)  // the first part gets consumes that no reference needs
            if (!consumed_[consume])
                parts.front().plan.consumes.push_back(plan_.consumes[consume]);
        return parts;
    }

private:
    SplitPart part_of(std::uint32_t bundle) {
        SplitPart part{.name = bundles_[bundle].name, .needs = bundles_[bundle].needs};
        part.plan.dependencies = plan_.dependencies;
        part.plan.metadata = plan_.metadata;
        part.plan.creator_metadata = plan_.creator_metadata;
        std::vector<std::uint32_t> assets;
        for (const std::uint32_t name : bundles_[bundle].names)
            part.plan.names.push_back(renumber(plan_.names[name], assets));
        for (const std::uint32_t asset : assets) {
            part.plan.assets.push_back(plan_.assets[asset]);
            part.plan.assets.back().references = {};
        }
        std::map<std::string, PlannedConsume> consumes;
        for (const std::uint32_t asset : assets) {
            for (const PlannedReference& reference : plan_.assets[asset].references)
                add_reference(bundle, part_asset_of_[asset], reference, part, consumes);
            for (const PlannedReference& reference : resolved_.assets[asset].references)
                add_consumes(reference, consumes);
        }
        for (auto& consume : consumes)
            part.plan.consumes.push_back(std::move(consume.second));
        for (const std::uint32_t asset : assets)
            part_asset_of_[asset] = kNone;
        return part;
    }

    // Replaces indices of the whole plan by indices of the part, and adds new assets of the part to `assets`.
    PlannedName renumber(PlannedName name, std::vector<std::uint32_t>& assets) {
        for (PlannedVariant& variant : name.variants) {
            if (part_asset_of_[variant.asset] == kNone) {
                part_asset_of_[variant.asset] = static_cast<std::uint32_t>(assets.size());
                assets.push_back(variant.asset);
            }
            variant.asset = part_asset_of_[variant.asset];
        }
        return name;
    }

    void add_reference(std::uint32_t bundle, std::uint32_t from, const PlannedReference& reference, SplitPart& part,
                       std::map<std::string, PlannedConsume>& consumes) const {
        auto& references = part.plan.assets[from].references.edit();
        const auto* const internal = std::get_if<PlannedReference::Internal>(&reference.target);
        if (!internal) {
            references.push_back(reference);
        } else if (const std::uint32_t asset = part_asset_of_[internal->asset];  // or kNone
                   asset != kNone && !is_elsewhere(bundle, *internal, reference.name)) {
            references.push_back(reference);
            references.back().target = PlannedReference::Internal{asset};
        } else if (const auto needed = find_needed(bundle, *internal, reference.name)) {
            // The target's id is known when the other part has been written: fill_needs() makes the reference then.
            part.references.push_back({.asset = from,
                                       .spelling = reference.spelling,
                                       .optional = reference.optional,
                                       .part = bundle_of_[*needed],
                                       .name = plan_.names[*needed].name.text()});
        } else if (asset != kNone) {
            references.push_back({.spelling = reference.spelling,
                                  .target = PlannedReference::Internal{asset},
                                  .optional = reference.optional});
        } else if (const auto published = find_published(internal->asset)) {
            const std::string& name = plan_.names[*published].name.text();
            references.push_back(
                {.spelling = reference.spelling, .target = PlannedReference::Dynamic{name}, .optional = true});
            consumes.emplace(name, PlannedConsume{.text = name, .optional = true});
        }
    }

    // Whether the target's name, if it has one, is a name of another part than `bundle`.
    bool is_elsewhere(std::uint32_t bundle, PlannedReference::Internal target, std::string_view name) const {
        return std::ranges::any_of(names_of_[target.asset], [&](std::uint32_t one) {
            return plan_.names[one].name.view() == name && bundle_of_[one] != bundle;
        });
    }

    // Finds a name of the asset in a part that `bundle` needs: `wanted`, or if that is elsewhere the first. A look-up
    // of the name must lead to this asset.
    std::optional<std::uint32_t> find_needed(std::uint32_t bundle, PlannedReference::Internal target,
                                             std::string_view wanted) const {
        std::optional<std::uint32_t> first;
        for (const std::uint32_t name : names_of_[target.asset]) {
            if (plan_.names[name].variants.front().asset != target.asset ||
                !std::ranges::binary_search(bundles_[bundle].needs, bundle_of_[name]))
                continue;
            if (plan_.names[name].name.view() == wanted)
                return name;
            first = first.value_or(name);
        }
        return first;
    }

    std::optional<std::uint32_t> find_published(std::uint32_t asset) const {
        const auto at =
            std::ranges::find_if(names_of_[asset], [&](std::uint32_t name) { return plan_.names[name].published; });
        return at != names_of_[asset].end() ? std::optional(*at) : std::nullopt;
    }

    void add_consumes(const PlannedReference& reference, std::map<std::string, PlannedConsume>& consumes) {
        const auto* const dynamic = std::get_if<PlannedReference::Dynamic>(&reference.target);
        if (!dynamic)
            return;
        const auto add = [&](const std::string& text) {
            if (const auto at = consumes_.find(text); at != consumes_.end()) {
                consumes.insert_or_assign(text, plan_.consumes[at->second]);
                consumed_[at->second] = true;
            }
        };
        add(dynamic->name);
        add(dynamic->name.substr(0, dynamic->name.rfind('.')) + ".*");
    }

    const BundlePlan& plan_;
    const ResolveResult& resolved_;
    std::span<const SplitBundle> bundles_;
    std::vector<std::uint32_t> bundle_of_;
    std::vector<std::vector<std::uint32_t>> names_of_;
    std::vector<std::uint32_t> part_asset_of_;  // per asset of the whole plan its index in the part that is being built
    std::map<std::string, std::uint32_t> consumes_;
    std::vector<bool> consumed_;
};

Result<PlannedReference> foreign_of(const Bundle& bundle, const PartReference& reference, std::uint32_t dependency) {
    FARDEL_TRY_ASSIGN(const auto name, bundle.find_name(reference.name));
    if (!name)
        return Error(ErrorCode::malformed,
                     "bundle " + bundle.id().hex() + " has no \"" + printable(reference.name) + "\"");
    FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(*name));
    FARDEL_TRY_ASSIGN(const AssetIndex index, bundle.default_asset(record));
    FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
    PlannedReference foreign{.spelling = reference.spelling,
                             .target = PlannedReference::Foreign{asset.id, dependency},
                             .optional = reference.optional};
    if (record.is(NameRecord::has_variants) || record.is(NameRecord::published))
        foreign.name = reference.name;
    return foreign;
}

}  // namespace

Result<std::vector<SplitPart>> split_plan(const BundlePlan& plan, std::span<const AssetScan> assets,
                                          const ResolveResult& resolved, const SplitOptions& options) {
    if (assets.size() != plan.assets.size() || resolved.assets.size() != plan.assets.size() ||
        resolved.uses.size() != plan.names.size())
        return Error(ErrorCode::malformed, "the assets or the resolved references do not match the plan");
    std::vector<std::string> texts;
    for (const PlannedName& name : plan.names)
        texts.push_back(name.name.text());
    FARDEL_TRY_ASSIGN(const auto bundles,
                      plan_split(texts, inputs_of(plan, assets, resolved), roots_of(plan, resolved.audit), options));
    if (bundles.empty())
        return std::vector<SplitPart>();
    return PlanSplit(plan, resolved, bundles).run();
}

namespace {

struct PartOfVariant {
    std::string name;         // "lang-fr" for a variant with the tag lang=fr; empty if it has a tag of none of the axes
    bool is_default = false;  // also takes the default of a name
};

PartOfVariant part_of_variant(const PlannedVariant& variant, std::span<const SplitAxis> axes) {
    PartOfVariant part;
    for (const SplitAxis& one : axes) {
        const auto tag = std::ranges::find(variant.tags, one.axis, &Tag::axis);
        if (tag == variant.tags.end() || (!one.value.empty() && tag->value != one.value))
            continue;
        part.name += (part.name.empty() ? "" : "-") + one.axis + "-" + tag->value;
        part.is_default = part.is_default || !one.value.empty();
    }
    return part;
}

using VariantsOfParts = std::map<std::string, std::vector<PlannedVariant>>;

// Moves the variants that belong to other parts out of the name.
VariantsOfParts take_variants(PlannedName& name, std::span<const SplitAxis> axes) {
    VariantsOfParts taken;
    std::vector<PlannedVariant> left;
    for (PlannedVariant& variant : name.variants) {
        const PartOfVariant part = part_of_variant(variant, axes);
        // A name that is only extended would not exist.
        const bool stays = part.name.empty() || (left.empty() && !part.is_default);
        (stays ? left : taken[part.name]).push_back(std::move(variant));
    }
    name.variants = std::move(left);
    return taken;
}

}  // namespace

Result<std::vector<SplitPart>> split_variants(const BundlePlan& plan, const ResolveResult* resolved,
                                              std::span<const SplitAxis> axes) {
    if (resolved != nullptr && resolved->assets.size() != plan.assets.size())
        return Error(ErrorCode::malformed, "the resolved references do not match the plan");
    BundlePlan divided = plan;  // the same assets; each part's share of a name is a name
    std::map<std::string, std::vector<std::uint32_t>> names_of;
    SplitBundle first;
    for (std::uint32_t name = 0; name < plan.names.size(); ++name) {
        VariantsOfParts taken;
        if (plan.names[name].published)
            taken = take_variants(divided.names[name], axes);
        const bool is_elsewhere = !taken.empty() && divided.names[name].variants.empty();
        if (!is_elsewhere)
            first.names.push_back(name);
        for (auto& [part, variants] : taken) {
            const bool has_place = is_elsewhere && divided.names[name].variants.empty();
            names_of[part].push_back(has_place ? name : static_cast<std::uint32_t>(divided.names.size()));
            if (has_place)
                divided.names[name].variants = std::move(variants);
            else
                divided.names.push_back(
                    {.name = plan.names[name].name, .variants = std::move(variants), .extends = !is_elsewhere});
        }
    }
    if (names_of.empty())
        return std::vector<SplitPart>();
    std::vector<SplitBundle> bundles{std::move(first)};
    for (auto& [part, names] : names_of)
        bundles.push_back({.name = part, .names = std::move(names), .needs = {0}});
    ResolveResult none;
    none.assets.resize(plan.assets.size());
    return PlanSplit(divided, resolved != nullptr ? *resolved : none, bundles).run();
}

Status fill_needs(SplitPart& part, std::span<const std::shared_ptr<const Bundle>> written) {
    std::map<std::uint32_t, std::uint32_t> dependency_of;  // part, dependency
    for (const std::uint32_t need : part.needs) {
        if (need >= written.size() || !written[need])
            return Error(ErrorCode::malformed,
                         "part \"" + printable(part.name) + "\" needs a part that is not written");
        FARDEL_TRY_ASSIGN(const auto name, written[need]->find_bundle_text("name"));
        FARDEL_TRY_ASSIGN(const auto version, written[need]->find_bundle_text("version"));
        dependency_of.emplace(need, static_cast<std::uint32_t>(part.plan.dependencies.size()));
        part.plan.dependencies.push_back({.bundle = written[need]->id(),
                                          .name = std::string(name.value_or("")),
                                          .version = std::string(version.value_or("")),
                                          .is_static = true});
    }
    for (const PartReference& reference : part.references) {
        FARDEL_TRY_ASSIGN(auto foreign,
                          foreign_of(*written[reference.part], reference, dependency_of.at(reference.part)));
        part.plan.assets[reference.asset].references.push_back(std::move(foreign));
    }
    part.references.clear();
    return ok();
}

}  // namespace fardel
