// AssetLabels: names assets in findings, by id and by the first name that leads to them.
#pragma once

#include "tables/bundle_strings.h"
#include "tables/checked_tables.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

class AssetLabels {
public:
    // Both arguments must outlive this object. Needs four bytes per asset.
    AssetLabels(const CheckedTables& tables, const BundleStrings& texts);

    AffectedAsset affected(std::uint32_t asset) const;
    // "'textures/base/water' (asset 36f0…)"
    std::string text(std::uint32_t asset) const;

private:
    const CheckedTables& tables_;
    const BundleStrings& texts_;
    std::vector<std::uint32_t> first_name_;  // per asset; kNoIndex if no name leads to it
};

}  // namespace fardel
