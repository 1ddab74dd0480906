// Adds the bytes of a bundle file to a store: locates what other bundles have, and writes the rest to a new pack.
#pragma once

#include "bundles/store_folder.h"

#include <fardel/format/bundle.h>
#include <fardel/store/bundle_store.h>

namespace fardel {

// Errors: those of BundleStore::add.
Result<StoreAddition> add_bundle(const StoreFolder& folder, const Bundle& bundle, const StoreWork& work);

}  // namespace fardel
