// The bytes themselves: every block's stored hash, its frame, every piece and every asset against its id.
#pragma once

#include "asset_labels.h"
#include "placements.h"

#include <fardel/format/head.h>
#include <fardel/verifier/verify_bundle.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

struct ContentPlan {
    const ByteSource& source;
    const LayoutHead& layout;
    const Tables& tables;
    std::span<const Tenant> tenants;    // of check_placements
    const std::vector<bool>& readable;  // of check_blocks
    const AssetLabels& labels;
};

struct ContentTotals {
    std::uint64_t raw_bytes_proved = 0;  // of assets whose id is that of their bytes
    bool stopped = false;
};

// Reads each readable block once, in order, a few at a time on each thread. Damage is named by the assets it hits.
ContentTotals check_contents(const ContentPlan& plan, const VerifyOptions& options, Findings& findings);

}  // namespace fardel
