// Checks block records: the locations of stored bytes, and the codecs.
#pragma once

#include "placements.h"

#include <fardel/format/head.h>

#include <span>
#include <vector>

namespace fardel {

// Returns for each block whether its stored bytes may be read: they are inside the section and overlap no other
// block's. So all reads together are no longer than the section. If the manifest is unknown (`has_manifest` false),
// alignment is not checked.
std::vector<bool> check_blocks(const CheckedTables& tables, const LayoutHead& layout,
                               std::span<const PlacedAsset> placed_assets, bool has_manifest, VerifyFindings& findings);

}  // namespace fardel
