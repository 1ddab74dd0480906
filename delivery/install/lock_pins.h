// The pins by which a store keeps what a lock file names. Each file has pins of its own, under a name made from its
// path, so several files may use one store.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/store/bundle_store.h>

#include <string>

namespace fardel {

// Pins what the lock names, besides what is pinned for the file already. Errors: those of BundleStore::pin.
Status pin_bundles(const BundleStore& store, const std::string& path, const LockFile& lock);
// Has the store keep exactly what the file names now. Errors: those of read_lock_file and of the pins.
Status sync_pins(const BundleStore& store, const std::string& path);

}  // namespace fardel
