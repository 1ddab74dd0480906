// Pins, rules and collections of a store on disk: gathers what the plan needs, and runs it.
#pragma once

#include "packs/store_folder.h"

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/retention.h>

#include <span>
#include <vector>

namespace fardel {

// Returns the static dependencies of a stored bundle; none if it cannot be opened because it is damaged, incomplete or
// gone. Errors: denied, no_space, io and the like.
Result<std::vector<BundleId>> stored_needs(const StoreFolder& folder, const BundleId& bundle);

// `folder`: of StoreFolder::hold(). Errors: those of BundleStore::collect.
Result<CollectionReport> collect_store(const StoreFolder& folder, const RetentionRules& rules);
// Errors: those of BundleStore::remove_bundles.
Status condemn_by_hand(const StoreFolder& folder, std::span<const BundleId> bundles, UnixTime now);
// Errors: those of BundleStore::release_bundles.
Status condemn_released(const StoreFolder& folder, std::span<const BundleId> bundles, UnixTime now);

Result<std::vector<RetainedBundle>> list_retained(const StoreFolder& folder, std::optional<UnixTime> now);
Result<StoreUsage> find_usage(const StoreFolder& folder, UnixTime now);

}  // namespace fardel
