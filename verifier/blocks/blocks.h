// The block records: where stored bytes stand, and which codecs they use.
#pragma once

#include "placements.h"

#include <fardel/format/head.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Whether each block's stored bytes may be read: inside the section, and nobody else's. So all reads together are no
// longer than the section. Without a manifest (`has_manifest` false) nobody knows which blocks must be aligned.
std::vector<bool> check_blocks(const Tables& tables, const LayoutHead& layout, std::span<const Tenant> tenants,
                               bool has_manifest, Findings& findings);

}  // namespace fardel
