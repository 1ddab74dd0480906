// The lock file that a verb works with: --lock, or fardel.lock in the current folder; and the pins by which a store
// keeps what it names.
#pragma once

#include "console/command_line.h"

#include <fardel/base/result.h>
#include <fardel/delivery/channel_follow.h>
#include <fardel/delivery/lock_file.h>
#include <fardel/store/bundle_store.h>

#include <optional>
#include <string>

namespace fardel {

void add_lock_option(CommandLine& line, std::string& lock);

// Nothing if there is no such file. Errors: those of read_lock_file.
Result<std::optional<LockFile>> find_lock_file(const std::string& path);

// Pins what the lock names, besides what is pinned for the file already. Errors: those of BundleStore::pin.
Status pin_bundles(const BundleStore& store, const std::string& path, const LockFile& lock);
// Has the store keep exactly what the file names now. Errors: those of read_lock_file and of the pins.
Status sync_pins(const BundleStore& store, const std::string& path);

// Why the bundle is recalled; nothing: it is not.
std::optional<std::string> find_recall(const ChannelState& state, const BundleId& bundle);

// Opens stored bundles, as the policy accepts them. Borrows both.
OpenResolved open_stored(const BundleStore& store, const TrustPolicy* policy);

}  // namespace fardel
