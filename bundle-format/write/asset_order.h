// The order in which the assets of a plan are read and stored: by content type, then by key, so that similar assets are
// neighbours.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Returns indexes into `assets`. Error: malformed (two assets have one key).
Result<std::vector<std::uint32_t>> order_assets(std::span<const PlannedAsset> assets);

}  // namespace fardel
