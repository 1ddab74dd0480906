// What other bundles that are here have of a bundle that is on its way, for fetches and for bundles that are read from
// servers: whole bundles, whose assets may be used again, and single blocks.
#pragma once

#include "fetch/library_blocks.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>

#include <cstddef>
#include <cstdint>
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

// Uses the stored bytes of a block that another bundle in the store or in a library has, after comparing them with the
// hash. Returns false if there is none. Errors: those of IncomingBundle.
Result<bool> share_block(IncomingBundle& incoming, LibraryBlocks& library, std::uint64_t file_offset,
                         const Hash& stored_hash, std::uint32_t stored_bytes);

}  // namespace fardel
