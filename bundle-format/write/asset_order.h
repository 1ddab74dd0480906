// The orders of the assets of a plan: by content type, then by key, so that similar assets are neighbours; and the one
// in which they are read and stored, in which their ranks come first.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Returns indexes into `assets`. Error: malformed (two assets have one key).
Result<std::vector<std::uint32_t>> order_assets(std::span<const PlannedAsset> assets);

// Returns the same indexes by rank; assets without one last, and equal ranks in the order of `order`.
std::vector<std::uint32_t> order_by_rank(std::span<const PlannedAsset> assets, std::vector<std::uint32_t> order);

}  // namespace fardel
