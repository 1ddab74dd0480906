// Files that a store refers to instead of having their bytes: opened, compared and noted.
#pragma once

#include "packs/pack_reference.h"
#include "packs/store_folder.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

using ReadProgress = std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

// Reads a whole file and returns a reference to it. Errors: missing, malformed (not a regular file), conflict (it
// changed meanwhile), cancelled, denied, io.
Result<PackReference> refer_to_file(const std::string& path, const std::stop_token& stop, const ReadProgress& progress);

// Opens the file if its stamp is unchanged, or else if its bytes are the same: then the new stamp is noted. The source
// cannot be mapped, because other programs may write to the file. Errors: missing (the file is gone), corrupt (it
// changed), denied, io.
Result<std::shared_ptr<const ByteSource>> open_referred_file(const StoreFolder& folder, const PackReference& reference);

struct ReferredPack {
    StorePack pack;         // 0 bytes if the reference cannot be read
    bool is_stale = false;  // the file is gone or has changed
};
// The packs that are only referred to, by id.
Result<std::vector<ReferredPack>> list_referred_packs(const StoreFolder& folder);

}  // namespace fardel
