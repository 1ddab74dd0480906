#include "plan_metadata.h"

#include <algorithm>

namespace fardel {

void set_metadata(std::vector<PlannedMetadata>& metadata, const PlannedMetadata& item) {
    const auto at = std::ranges::find(metadata, item.key, &PlannedMetadata::key);
    if (at != metadata.end())
        *at = item;
    else
        metadata.push_back(item);
}

}  // namespace fardel
