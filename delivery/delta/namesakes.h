// Assets of other bundles that have the names of some assets of a new one: older versions of these, probably.
#pragma once

#include "delta/held_content.h"
#include "delta/slice_search.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>

#include <vector>

namespace fardel {

struct Namesakes {
    std::vector<SliceSource> sources;  // in the order of the target's names and then of the bundles, each asset once
    std::vector<bool> is_found;        // by asset of the target
};

// `wanted`: one entry per asset of the target. Of a name that has variants, each variant counts. A bundle whose tables
// cannot be read gives none. Errors: those of the target's tables.
Result<Namesakes> find_namesakes(const Bundle& target, const std::vector<bool>& wanted, HeldBundles others);

}  // namespace fardel
