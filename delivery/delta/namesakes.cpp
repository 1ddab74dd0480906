#include "delta/namesakes.h"

#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <string_view>
#include <unordered_set>

namespace fardel {
namespace {

// Returns the indices of the assets that the name leads to.
Result<std::vector<std::uint32_t>> targets_of(const Bundle& bundle, const NameRecord& name) {
    std::vector<std::uint32_t> assets;
    if (name.is(NameRecord::tombstone))
        return assets;
    if (!name.is(NameRecord::has_variants)) {
        assets.push_back(name.target);
        return assets;
    }
    for (std::uint32_t i = 0; i < name.count; ++i) {
        FARDEL_TRY_ASSIGN(const VariantRecord variant, bundle.variant(name.target + i));
        assets.push_back(variant.asset);
    }
    return assets;
}

// Returns the assets of the name that have any bytes; none if the tables cannot be read.
std::vector<SliceSource> assets_named(const Bundle& bundle, std::string_view text) {
    std::vector<SliceSource> sources;
    const auto index = bundle.find_name(text);
    if (!index || !*index)
        return sources;
    const auto name = bundle.name(**index);
    const auto assets = name ? targets_of(bundle, *name) : name.error();
    if (!assets)
        return sources;
    for (const std::uint32_t asset : *assets) {
        const auto record = bundle.asset(AssetIndex{asset});
        if (record && record->raw_bytes != 0)
            sources.push_back(
                {.bundle = &bundle, .asset = AssetIndex{asset}, .id = record->id, .raw_bytes = record->raw_bytes});
    }
    return sources;
}

}  // namespace

Result<Namesakes> find_namesakes(const Bundle& target, const std::vector<bool>& wanted, HeldBundles others) {
    Namesakes found{.sources = {}, .is_found = std::vector<bool>(wanted.size(), false)};
    std::unordered_set<AssetId> seen;
    for (std::uint32_t i = 0; i < target.name_count(); ++i) {
        FARDEL_TRY_ASSIGN(const NameRecord name, target.name(NameIndex{i}));
        FARDEL_TRY_ASSIGN(std::vector<std::uint32_t> assets, targets_of(target, name));
        std::erase_if(assets, [&](std::uint32_t asset) { return asset >= wanted.size() || !wanted[asset]; });
        if (assets.empty())
            continue;
        FARDEL_TRY_ASSIGN(const std::string_view text, target.name_text(NameIndex{i}));
        for (const auto& other : others) {
            const std::vector<SliceSource> namesakes = assets_named(*other, text);
            for (const std::uint32_t asset : assets)
                found.is_found[asset] = found.is_found[asset] || !namesakes.empty();
            for (const SliceSource& namesake : namesakes)
                if (seen.insert(namesake.id).second)
                    found.sources.push_back(namesake);
        }
    }
    return found;
}

}  // namespace fardel
