// Merges the listings of sources: a name of a later source hides the names of earlier ones that it contradicts.
#pragma once

#include "source_listing.h"

#include <vector>

namespace fardel {

// Two names contradict each other if they are equal under case folding or one is the other's folder.
// Error: conflict, for two such names of a listing that refuses conflicts; the message has both.
Result<ScanResult> merge_listings(std::vector<SourceListing> listings);

}  // namespace fardel
