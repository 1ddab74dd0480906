// Bundles that a store refers to instead of copying them.
#pragma once

#include <fardel/base/result.h>
#include <fardel/store/bundle_store.h>

#include <string>

namespace fardel {

// Adds a bundle file, which the caller has verified, without copying it: the store notes its path, size, times, inode
// and hash. If the file changes or goes, the bundle becomes unreadable; adding or fetching it mends that. A bundle that
// the store has whole stays as it is. Errors: those of BundleStore::add; malformed (not a regular file), limit (a path
// of more than 4096 bytes), conflict (the file was changed while it was read).
Result<StoreAddition> add_reference(const BundleStore& store, const std::string& path, const StoreWork& work = {});

}  // namespace fardel
