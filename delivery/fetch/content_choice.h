// ContentChoice: the assets of bundles that a ContentSelection means.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/fetch.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace fardel {

// By asset: whether it is wanted.
using ChosenAssets = std::vector<bool>;

// Chooses among bundles whose tables are here; `roots` are those that were asked for, the others are what these need.
// The name of a closure is looked up in the roots, and in the others only if no root has it. References lead into a
// dependency only if it is among the bundles. Of a dynamic reference, the name as it is written counts: in its bundle,
// then in the first static dependency of that bundle that has it, then in all bundles. Errors: malformed (a glob),
// missing (no bundle has the name of a closure or an asset, or no glob matches anything), those of Bundle.
Result<std::map<BundleId, ChosenAssets>> choose_content(const std::vector<std::shared_ptr<const Bundle>>& bundles,
                                                        std::span<const BundleId> roots,
                                                        const ContentSelection& selection);

}  // namespace fardel
