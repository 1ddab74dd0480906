// Adds the bytes of a bundle file to a store: locates what other bundles have, and writes the rest to a new pack.
#pragma once

#include "bundles/store_folder.h"
#include "retention/store_lease.h"

#include <fardel/format/bundle.h>
#include <fardel/store/bundle_store.h>

namespace fardel {

// `lease` holds what the new record is going to name. Errors: those of BundleStore::add.
Result<StoreAddition> add_bundle(const StoreFolder& folder, StoreLease& lease, const Bundle& bundle,
                                 const StoreWork& work);

}  // namespace fardel
