#include "resolved_plan.h"

#include "plan_check.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

std::string quoted_text(std::string_view text) { return "\"" + printable(text) + "\""; }

// Names the two assets that contradict each other.
std::string speakers(const BundlePlan& plan, std::uint32_t a, std::uint32_t b) {
    if (a == kNoIndex)
        return "the bundle";
    if (a == b)
        return label_of(plan.assets[a]);
    const auto& [first, second] = std::minmax(plan.assets[a].key, plan.assets[b].key);
    return "assets " + quoted_text(first) + " and " + quoted_text(second) + ", which have the same bytes";
}

// Of neighbours with equal keys, only the first stays.
template <class Item, class Key>
void erase_repeats(std::vector<Item>& sorted, Key key) {
    // Not std::ranges::unique: clang 14 cannot compile what it returns.
    sorted.erase(
        std::unique(sorted.begin(), sorted.end(), [&](const Item& a, const Item& b) { return key(a) == key(b); }),
        sorted.end());
}

// Returns the largest number of items of one subject, in a list sorted by subject.
template <class Item, class Subject>
std::size_t longest_run(const std::vector<Item>& sorted, Subject subject) {
    std::size_t longest = 0;
    for (std::size_t first = 0, i = 0; i < sorted.size(); ++i) {
        if (subject(sorted[i]) != subject(sorted[first]))
            first = i;
        longest = std::max(longest, i - first + 1);
    }
    return longest;
}

std::tuple<const AssetId&, const std::uint32_t&> foreign_key(const ForeignAssetRecord& f) {
    return {f.id, f.dependency};
}

std::vector<ForeignAssetRecord> resolve_foreign_assets(const BundlePlan& plan) {
    std::vector<ForeignAssetRecord> foreign_assets;
    for (const PlannedAsset& asset : plan.assets)
        for (const PlannedReference& reference : asset.references)
            if (const auto* foreign = std::get_if<PlannedReference::Foreign>(&reference.target))
                foreign_assets.push_back({foreign->asset, foreign->dependency});
    // By id and dependency: the order of the plan, which follows the order of files, must not show in the bundle.
    std::ranges::sort(foreign_assets, {}, foreign_key);
    erase_repeats(foreign_assets, foreign_key);
    return foreign_assets;
}

ResolvedReference resolve_reference(const PlannedReference& reference, std::uint32_t planned,
                                    const StoredContent& content,
                                    const std::vector<ForeignAssetRecord>& foreign_assets) {
    ResolvedReference resolved;
    resolved.asset = content.asset_of[planned];
    resolved.spelling = reference.spelling;
    resolved.optional = reference.optional;
    resolved.planned = planned;
    resolved.target_name = reference.name;
    if (const auto* internal = std::get_if<PlannedReference::Internal>(&reference.target)) {
        resolved.kind = ReferenceKind::internal;
        resolved.target = content.asset_of[internal->asset];
    } else if (const auto* foreign = std::get_if<PlannedReference::Foreign>(&reference.target)) {
        const auto it =
            std::ranges::lower_bound(foreign_assets, std::tie(foreign->asset, foreign->dependency), {}, foreign_key);
        resolved.kind = ReferenceKind::foreign;
        resolved.target = static_cast<std::uint32_t>(it - foreign_assets.begin());
    } else {
        resolved.kind = ReferenceKind::dynamic;
        resolved.target_name = std::get<PlannedReference::Dynamic>(reference.target).name;
    }
    return resolved;
}

// Assets with equal bytes can reach one target by two names. Such a reference means the asset alone.
void drop_ambiguous_names(std::vector<ResolvedReference>& references) {
    std::size_t first = 0;
    for (std::size_t i = 1; i < references.size(); ++i) {
        if (references[i].asset != references[first].asset || references[i].spelling != references[first].spelling)
            first = i;
        else if (references[i].target_name != references[first].target_name &&
                 references[i].kind != ReferenceKind::dynamic)
            references[first].target_name = {};
    }
}

// The name of a target inside the bundle gives that target by default.
Status verify_target_names(const BundlePlan& plan, const StoredContent& content,
                           std::span<const ResolvedReference> references) {
    const auto is_named = [](const ResolvedReference& reference) {
        return reference.kind == ReferenceKind::internal && !reference.target_name.empty();
    };
    if (std::ranges::none_of(references, is_named))
        return ok();
    std::unordered_map<std::string_view, std::uint32_t> default_of;
    for (const PlannedName& name : plan.names)
        if (!name.variants.empty())
            default_of.emplace(name.name.view(), content.asset_of[name.variants.front().asset]);
    for (const ResolvedReference& reference : references) {
        if (!is_named(reference))
            continue;
        const auto at = default_of.find(reference.target_name);
        if (at == default_of.end() || at->second != reference.target)
            return Error(ErrorCode::malformed,
                         label_of(plan.assets[reference.planned]) + ": reference " + quoted_text(reference.spelling) +
                             ": its target is not the asset of " + quoted_text(reference.target_name));
    }
    return ok();
}

Result<std::vector<ResolvedReference>> resolve_references(const BundlePlan& plan, const StoredContent& content,
                                                          const std::vector<ForeignAssetRecord>& foreign_assets) {
    std::vector<ResolvedReference> references;
    for (std::uint32_t planned = 0; planned < plan.assets.size(); ++planned)
        for (const PlannedReference& reference : plan.assets[planned].references)
            references.push_back(resolve_reference(reference, planned, content, foreign_assets));

    const auto name = [](const ResolvedReference& r) { return std::tie(r.asset, r.spelling); };
    const auto same_target = [&](const ResolvedReference& a, const ResolvedReference& b) {
        if (a.kind != b.kind)
            return false;
        switch (a.kind) {
            case ReferenceKind::internal: return a.target == b.target;
            case ReferenceKind::foreign: return foreign_assets[a.target].id == foreign_assets[b.target].id;
            case ReferenceKind::dynamic: break;
        }
        return a.target_name == b.target_name;
    };
    std::ranges::sort(references, {}, [](const ResolvedReference& r) {  // required ones first, to be kept
        return std::tie(r.asset, r.spelling, r.optional, r.planned);
    });
    // Equal bytes are one asset, which has one target per spelling: two files with other targets cannot both be right.
    const auto contradiction = std::ranges::adjacent_find(
        references, [&](const auto& a, const auto& b) { return name(a) == name(b) && !same_target(a, b); });
    if (contradiction != references.end())
        return Error(ErrorCode::malformed, speakers(plan, contradiction->planned, contradiction[1].planned) +
                                               ": reference " + quoted_text(contradiction->spelling) +
                                               " has two targets");
    drop_ambiguous_names(references);
    erase_repeats(references, name);
    FARDEL_TRY(verify_target_names(plan, content, references));
    if (longest_run(references, [](const ResolvedReference& r) { return r.asset; }) > limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit,
                     "an asset has more than " + std::to_string(limits::kReferencesPerAssetMax) + " references");
    return references;
}

using MetadataOfAsset = RareList<PlannedMetadata> PlannedAsset::*;

Result<std::vector<ResolvedMetadata>> resolve_metadata(const BundlePlan& plan,
                                                       const std::vector<PlannedMetadata>& of_bundle,
                                                       MetadataOfAsset of_asset, const StoredContent& content) {
    std::vector<ResolvedMetadata> metadata;
    for (std::uint32_t planned = 0; planned < plan.assets.size(); ++planned)
        for (const PlannedMetadata& item : plan.assets[planned].*of_asset)
            metadata.push_back({content.asset_of[planned], item.key, &item.value, planned});
    for (const PlannedMetadata& item : of_bundle)
        metadata.push_back({kBundleSubject, item.key, &item.value, kNoIndex});

    const auto name = [](const ResolvedMetadata& m) { return std::tie(m.subject, m.key); };
    std::ranges::sort(metadata, {}, [](const ResolvedMetadata& m) { return std::tie(m.subject, m.key, m.planned); });
    const auto contradiction = std::ranges::adjacent_find(
        metadata, [&](const auto& a, const auto& b) { return name(a) == name(b) && *a.value != *b.value; });
    if (contradiction != metadata.end())
        return Error(ErrorCode::malformed, speakers(plan, contradiction->planned, contradiction[1].planned) +
                                               ": metadata " + quoted_text(contradiction->key) + " has two values");
    erase_repeats(metadata, name);
    if (longest_run(metadata, [](const ResolvedMetadata& m) { return m.subject; }) > limits::kMetadataPerSubjectMax)
        return Error(ErrorCode::limit,
                     "an asset has more than " + std::to_string(limits::kMetadataPerSubjectMax) + " metadata entries");
    return metadata;
}

Result<std::vector<PlannedConsume>> resolve_consumes(std::vector<PlannedConsume> consumes) {
    std::ranges::sort(consumes, {}, [](const PlannedConsume& c) { return std::tie(c.text, c.optional, c.pattern); });
    const auto contradiction = std::ranges::adjacent_find(
        consumes, [](const auto& a, const auto& b) { return a.text == b.text && a.pattern != b.pattern; });
    if (contradiction != consumes.end())
        return Error(ErrorCode::malformed,
                     "consumed name " + quoted_text(contradiction->text) + " is planned as a name and as a pattern");
    erase_repeats(consumes, [](const PlannedConsume& c) { return c.text; });
    return consumes;
}

}  // namespace

Result<ResolvedPlan> resolve_plan(const BundlePlan& plan, const StoredContent& content) {
    ResolvedPlan resolved;
    resolved.foreign_assets = resolve_foreign_assets(plan);
    FARDEL_TRY_ASSIGN(resolved.references, resolve_references(plan, content, resolved.foreign_assets));
    FARDEL_TRY_ASSIGN(resolved.consumes, resolve_consumes(plan.consumes));
    FARDEL_TRY_ASSIGN(resolved.metadata, resolve_metadata(plan, plan.metadata, &PlannedAsset::metadata, content));
    FARDEL_TRY_ASSIGN(resolved.creator_metadata,
                      resolve_metadata(plan, plan.creator_metadata, &PlannedAsset::creator_metadata, content));
    return resolved;
}

}  // namespace fardel
