// Collection: removes what nothing keeps, in two phases.
//
// The first phase condemns: it notes, durably, what is going to be removed. Until the second phase, at least
// RetentionRules::grace_s later, each writer or reader that needs such a thing takes it back. Both phases decide under
// the lock of the store from what is on disk at that moment: a bundle that is pinned, leased, used or needed by another
// one stays, whatever the plan says. docs/retention.md explains why this is safe.
#pragma once

#include "retention/retention_disk.h"

#include <fardel/base/clock.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/store/retention.h>

#include <functional>
#include <span>
#include <vector>

namespace fardel {

struct PlannedRemoval {
    BundleId bundle;
    RemovalReason reason = RemovalReason::by_hand;
};

// Returns the static dependencies of a bundle. A bundle that cannot be opened has none; an error ends the collection.
using FindNeeds = std::function<Result<std::vector<BundleId>>(const BundleId&)>;

// Condemns what the plan lists and what no record names, and removes what was condemned long enough ago. A condemned
// bundle that the plan does not list is taken back. Errors: unsupported (no locks; nothing is removed), busy, denied,
// no_space, io. `clock` dates what is condemned, and is the one that RetentionRules::now is of.
Result<CollectionReport> collect(RetentionDisk& disk, std::span<const PlannedRemoval> plan, const FindNeeds& find_needs,
                                 const RetentionRules& rules, const Clock& clock);

}  // namespace fardel
