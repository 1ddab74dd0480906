#include "asset_labels.h"

#include <fardel/base/fits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

namespace fardel {

AssetLabels::AssetLabels(const CheckedTables& tables, const BundleStrings& texts)
    : tables_(tables), texts_(texts), first_name_(in_memory(tables.count(TableKind::assets)), kNoIndex) {
    const auto name_it = [&](std::uint32_t asset, std::uint32_t name) {
        if (asset < first_name_.size() && first_name_[asset] == kNoIndex)
            first_name_[asset] = name;
    };
    for (std::uint32_t i = 0; i < tables.count(TableKind::names); ++i) {
        const auto name = tables.find<NameRecord>(i);
        if (name && !name->is(NameRecord::tombstone) && !name->is(NameRecord::has_variants))
            name_it(name->target, i);
    }
    for (std::uint64_t i = 0; i < tables.count(TableKind::variants); ++i)
        if (const auto variant = tables.find<VariantRecord>(i);
            variant && variant->name < tables.count(TableKind::names))
            name_it(variant->asset, variant->name);
}

AffectedAsset AssetLabels::affected(std::uint32_t asset) const {
    AffectedAsset found;
    if (const auto record = tables_.find<AssetRecord>(asset))
        found.id = record->id;
    if (asset >= first_name_.size() || first_name_[asset] == kNoIndex)
        return found;
    if (const auto text = texts_.find_name(first_name_[asset]))
        found.name = printable(*text);
    return found;
}

std::string AssetLabels::text(std::uint32_t asset) const {
    const AffectedAsset found = affected(asset);
    const std::string id = "asset " + found.id.hex();
    return found.name.empty() ? id : "'" + found.name + "' (" + id + ")";
}

}  // namespace fardel
