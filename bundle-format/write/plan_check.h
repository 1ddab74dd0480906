// Checks whether a plan can be written: every single value, and every index against its list. No source is opened.
// Conflicts between two names or two assets are found by sort_names, order_assets and resolve_plan.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace fardel {

// Errors: malformed, limit. The message names the asset, name or key.
Status verify_plan(const BundlePlan& plan);

// Returns the asset's content type, or the default if it has none.
std::string_view content_type_of(const PlannedAsset& asset) noexcept;

// Returns the binary logarithm of the size of its pieces.
std::uint8_t piece_log2_of(const PlannedAsset& asset) noexcept;

// "asset \"textures/base/water\"", safe to show.
std::string label_of(const PlannedAsset& asset);

}  // namespace fardel
