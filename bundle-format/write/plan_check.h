// Whether a plan can be written: every value by itself, and every index against what it points to. No source is opened.
// What two names or two assets mean for each other is found by sort_names, order_assets and resolve_plan.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>

#include <string_view>

namespace fardel {

// Errors: malformed, limit. The message names the asset, name or key.
Status verify_plan(const BundlePlan& plan);

// What is written for the asset: its own, or the default for none.
std::string_view content_type_of(const PlannedAsset& asset) noexcept;

// "asset \"textures/base/water\"", safe to show.
std::string label_of(const PlannedAsset& asset);

}  // namespace fardel
