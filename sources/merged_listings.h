// Lays the listings of sources over one another: what a later one says hides what it contradicts in the earlier ones.
#pragma once

#include "source_listing.h"

#include <vector>

namespace fardel {

// Two names contradict each other when they are equal under case folding or one is the other's folder.
// Error: conflict, for two such names of a listing that refuses conflicts; the message has both.
Result<ScanResult> merge_listings(std::vector<SourceListing> listings);

}  // namespace fardel
