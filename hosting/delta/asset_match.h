// Which asset of an old bundle an asset of a new one was made from.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <optional>
#include <span>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace fardel {

// Returns, for those of `assets` (of `target`) that have one, an asset of `old`: the same one; else the one that has
// its name, with variants in the same order; else the one that shares the most content with it. The last rule reads
// all assets of the old bundle, once, if it is needed. Deterministic. Errors: those of Bundle; cancelled.
Result<std::unordered_map<std::uint32_t, AssetIndex>> match_assets(const Bundle& old, const Bundle& target,
                                                                   std::span<const AssetIndex> assets,
                                                                   const std::stop_token& stop);

}  // namespace fardel
