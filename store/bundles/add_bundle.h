// Adds the bytes of a bundle file to a store: locates what other bundles have, and writes the rest to a new pack.
#pragma once

#include "packs/store_folder.h"
#include "retention/store_lease.h"

#include <fardel/base/file_clone.h>
#include <fardel/format/bundle.h>
#include <fardel/store/bundle_store.h>

#include <cstdint>
#include <span>

namespace fardel {

// Whether the store has all of a bundle, as far as that shows without reading it.
bool is_stored_whole(const StoreFolder& folder, const BundleId& bundle);

// Notes where the bytes of a bundle file are. `lease` holds the bundle. Errors: those of add_reference.
Result<StoreAddition> add_referred_bundle(const StoreFolder& folder, StoreLease& lease, const Bundle& bundle,
                                          const PackReference& reference);

// Adds the envelopes that the bundle of the record lacks, unless there would be more than a trailer has. Returns the
// bytes of the new trailer; 0 if nothing was added. `lease` holds the bundle.
Result<std::uint64_t> add_envelopes(const StoreFolder& folder, StoreLease& lease, const StoreRecord& record,
                                    std::span<const Envelope> envelopes);

// `lease` holds what the new record is going to name. Errors: those of BundleStore::add.
// A file of which the store has no block becomes a pack by `clone`, where that is possible.
Result<StoreAddition> add_bundle(const StoreFolder& folder, StoreLease& lease, const Bundle& bundle,
                                 const StoreWork& work, const CloneFile& clone = clone_file);

}  // namespace fardel
