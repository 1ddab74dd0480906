// Decides which bundles of a store go, by the rules of its owner. Pure.
#pragma once

#include "retention/collection.h"

#include <fardel/format/ids.h>
#include <fardel/store/retention.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fardel {

// What the plan knows about a bundle.
struct RetentionFacts {
    BundleId bundle;
    std::vector<BundleId> needs;  // static dependencies
    std::vector<PackOnDisk> packs;
    std::uint64_t file_bytes = 0;
    UnixTime used;
    std::string source;          // empty: unknown, and in no quota
    bool is_expired = false;     // the date in its metadata has passed
    bool is_unlicensed = false;  // it requires a licence token, and the last one has ended; no pin keeps it
    bool is_pinned = false;
    bool is_removed_by_hand = false;
    bool is_released = false;  // nothing that named it does any more
};

// Returns the bundles that go, each before those that it needs. What a kept bundle needs is kept. A bundle counts as
// used when one that needs it was used. Pinned bundles stay, even if a quota or the size of the store is exceeded. The
// order depends on the facts only.
std::vector<PlannedRemoval> plan_retention(std::span<const RetentionFacts> bundles, const RetentionRules& rules);

}  // namespace fardel
