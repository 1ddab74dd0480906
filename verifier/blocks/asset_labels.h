// AssetLabels: what to call an asset in a finding: its id and the first name that leads to it.
#pragma once

#include "tables/bundle_strings.h"
#include "tables/tables.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

class AssetLabels {
public:
    // Both must outlive this. Four bytes an asset.
    AssetLabels(const Tables& tables, const Strings& texts);

    HitAsset hit(std::uint32_t asset) const;
    // "'textures/base/water' (asset 36f0…)"
    std::string text(std::uint32_t asset) const;

private:
    const Tables& tables_;
    const Strings& texts_;
    std::vector<std::uint32_t> first_name_;  // kNoIndex without one
};

}  // namespace fardel
