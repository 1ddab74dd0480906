// Metadata from several places, of which the last that states a key counts.
#pragma once

#include <fardel/format/bundle_plan.h>

#include <vector>

namespace fardel {

// Replaces what is stated under the same key, or adds it.
void set_metadata(std::vector<PlannedMetadata>& metadata, const PlannedMetadata& item);

}  // namespace fardel
