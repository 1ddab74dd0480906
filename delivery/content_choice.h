// ContentChoice: the assets of bundles that a ContentSelection means.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/fetch.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace fardel {

// By asset: whether it is wanted.
using ChosenAssets = std::vector<bool>;

// Chooses among bundles whose tables are here. References lead into a dependency only if it is among the bundles. Of a
// dynamic reference, the name as it is written counts, in its bundle and then in the static dependencies. Errors:
// malformed (a glob), missing (no bundle has the name of a closure or an asset, or no glob matches anything), those of
// Bundle.
Result<std::map<BundleId, ChosenAssets>> choose_content(const std::vector<std::shared_ptr<const Bundle>>& bundles,
                                                        const ContentSelection& selection);

}  // namespace fardel
