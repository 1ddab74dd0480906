// Sorts what most often is in order already, as names are that come from a sorted list.
#pragma once

#include <algorithm>

namespace fardel {

// One comparison for each element if they are in order, by `projection`.
template <typename Range, typename Projection>
void sort_unless_sorted(Range& range, Projection projection) {
    if (!std::ranges::is_sorted(range, {}, projection))
        std::ranges::sort(range, {}, projection);
}

}  // namespace fardel
