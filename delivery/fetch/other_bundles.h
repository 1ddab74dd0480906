// Other whole bundles that are here, whose assets may be used again by a bundle that is on its way.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>

#include <cstddef>
#include <memory>
#include <unordered_set>
#include <vector>

namespace fardel {

inline constexpr std::size_t kOthersMax = 64;

// Returns the ids of the bundles that the store has whole. Errors: those of BundleStore::list.
Result<std::unordered_set<BundleId>> list_whole_bundles(const BundleStore& store);

// Opens bundles that the store and the library (which may be nullptr) have whole, except this one: at most kOthersMax.
// Those that cannot be opened are left out. Errors: those of BundleStore::list.
Result<std::vector<std::shared_ptr<const Bundle>>> open_other_bundles(const BundleStore& store,
                                                                      const BundleLibrary* library,
                                                                      const BundleId& except);

}  // namespace fardel
