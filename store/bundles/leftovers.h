// What writers leave in a store that were killed, or that a fetch left to be resumed.
#pragma once

#include "packs/store_folder.h"

#include <cstdint>

namespace fardel {

struct StoreLeftovers {
    std::uint64_t incoming = 0;  // bundles on their way
    std::uint64_t incoming_bytes = 0;
    std::uint64_t abandoned_files = 0;  // temporary files and packs under construction without a living writer
    std::uint64_t abandoned_bytes = 0;
};

// Counts and changes nothing. What cannot be read is left out.
StoreLeftovers count_leftovers(const StoreFolder& folder);

// Removes packs and files of the block index under construction that no living writer has locked. On a file system
// without locks, nothing is removed. Errors are ignored: the next call tries again.
void remove_abandoned_packs(const StoreFolder& folder);
// Removes what was received of bundles that the store has whole by now. Errors are ignored.
void remove_needless_incoming(const StoreFolder& folder);
// Removes what was received of bundles that nobody resumed since `before` and returns what;
// with `dry_run`, only returns it. Errors are ignored.
StoreLeftovers remove_old_incoming(const StoreFolder& folder, UnixTime before, bool dry_run);

}  // namespace fardel
