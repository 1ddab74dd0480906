#include <fardel/vfs/bundle_variants.h>

#include "names/variant_choice.h"

#include <fardel/format/limits.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kMetricPrefix = "metric.";

// Calls `visit` with the name and value of each metric of the asset.
template <class Visit>
Status each_metric(const Bundle& bundle, AssetIndex asset, Visit visit) {
    FARDEL_TRY_ASSIGN(const AssetRecord record, bundle.asset(asset));
    if (record.metadata_first == kNoIndex)
        return ok();
    const std::uint64_t count = bundle.table_count(TableKind::metadata);
    for (std::uint32_t i = 0; i < limits::kMetadataPerSubjectMax && record.metadata_first + std::uint64_t{i} < count;
         ++i) {
        FARDEL_TRY_ASSIGN(const MetadataRecord item, bundle.metadata(record.metadata_first + i));
        if (item.subject != static_cast<std::uint32_t>(asset))
            break;
        FARDEL_TRY_ASSIGN(const std::string_view key, bundle.string(item.key));
        if (item.kind == MetadataKind::number && key.starts_with(kMetricPrefix))
            visit(key.substr(kMetricPrefix.size()), std::bit_cast<double>(item.value));
    }
    return ok();
}

// Calls `visit` with the axis and value of each tag of the variant, as views of the bundle's tables.
template <class Visit>
Status each_tag(const Bundle& bundle, std::uint32_t index, const VariantRecord& variant, Visit visit) {
    if (variant.asset >= bundle.asset_count() || variant.tag_count > limits::kTagsPerVariantMax)
        return Error(ErrorCode::malformed, bundle.label() + ": variant " + std::to_string(index) + " leads nowhere");
    for (std::uint32_t i = 0; i < variant.tag_count; ++i) {
        FARDEL_TRY_ASSIGN(const TagRecord tag, bundle.tag(variant.tag_first + i));
        FARDEL_TRY_ASSIGN(const std::string_view axis, bundle.string(tag.axis));
        FARDEL_TRY_ASSIGN(const std::string_view value, bundle.string(tag.value));
        visit(axis, value);
    }
    return ok();
}

}  // namespace

Status read_metrics(const Bundle& bundle, AssetIndex asset, const VariantPreference& preference,
                    VariantTraits& traits) {
    const auto is_bounded = [&](std::string_view metric) {
        return std::ranges::any_of(preference,
                                   [&](const AxisPreference& one) { return one.most && one.axis == metric; });
    };
    if (std::ranges::none_of(preference, [](const AxisPreference& one) { return one.most.has_value(); }))
        return ok();
    return each_metric(bundle, asset, [&](std::string_view name, double value) {
        if (is_bounded(name))
            traits.metrics.push_back({.name = name, .value = value});
    });
}

Status read_variants(const Bundle& bundle, const NameRecord& name, const VariantPreference& preference,
                     std::vector<VariantTraits>& traits, std::vector<AssetIndex>& assets) {
    if (name.count == 0 || name.count > limits::kVariantsPerNameMax)
        return Error(ErrorCode::malformed,
                     bundle.label() + ": a name with " + std::to_string(name.count) + " variants");
    for (std::uint32_t i = 0; i < name.count; ++i) {
        FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(name.target + i));
        VariantTraits one;
        FARDEL_TRY(each_tag(bundle, name.target + i, variant, [&](std::string_view axis, std::string_view value) {
            one.tags.push_back({axis, value});
        }));
        FARDEL_TRY(read_metrics(bundle, AssetIndex{variant.asset}, preference, one));
        traits.push_back(std::move(one));
        assets.push_back(AssetIndex{variant.asset});
    }
    return ok();
}

Result<std::uint32_t> choose_in_bundle(const Bundle& bundle, const NameRecord& name,
                                       const VariantPreference& preference) {
    if (!name.is(NameRecord::has_variants) || preference.empty())
        return 0u;
    std::vector<VariantTraits> traits;
    std::vector<AssetIndex> assets;
    FARDEL_TRY(read_variants(bundle, name, preference, traits, assets));
    return static_cast<std::uint32_t>(choose_variant(traits, preference));
}

Status add_variant_axes(const Bundle& bundle, VariantAxes& axes) {
    const std::uint64_t count = bundle.table_count(TableKind::variants);
    // A small bundle can have millions of variants that are one asset with much metadata: it is read once.
    std::vector<bool> seen(bundle.asset_count());
    for (std::uint32_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(i));
        FARDEL_TRY(each_tag(bundle, i, variant, [&](std::string_view axis, std::string_view value) {
            axes.values[std::string(axis)].emplace(value);
        }));
        if (seen[variant.asset])
            continue;
        seen[variant.asset] = true;
        FARDEL_TRY(each_metric(bundle, AssetIndex{variant.asset}, [&](std::string_view name, double value) {
            const auto [at, added] = axes.metrics.try_emplace(std::string(name), value);
            at->second = added ? value : std::max(at->second, value);
        }));
    }
    return ok();
}

VariantPreference list_axes(const VariantAxes& axes) {
    VariantPreference list;
    for (const auto& [axis, values] : axes.values)
        list.push_back({.axis = axis, .values = {values.begin(), values.end()}});
    for (const auto& [metric, greatest] : axes.metrics)
        list.push_back({.axis = metric, .values = {}, .most = greatest});
    return list;
}

}  // namespace fardel
