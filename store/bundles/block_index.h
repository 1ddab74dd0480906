// BlockIndex: where a store has the stored bytes of blocks, by their hashes. Built from the layouts of the bundles in
// the store, so that nothing on disk can disagree with them. About 100 bytes of memory per block.
#pragma once

#include "bundles/store_folder.h"

#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <unordered_map>

namespace fardel {

struct StoredBlock {
    StorePack pack;
    std::uint64_t pack_offset = 0;
    std::uint32_t stored_bytes = 0;
};

class BlockIndex {
public:
    // Bundles whose records, packs or layouts are damaged are left out. Errors: io, denied (of the store itself).
    static Result<BlockIndex> build(const StoreFolder& folder);

    // Returns where bytes with this hash should be; nothing is known about the bytes themselves. nullptr: nowhere.
    const StoredBlock* find(const Hash& stored_hash) const;
    std::size_t size() const noexcept { return blocks_.size(); }

private:
    void add(const StoreFolder& folder, const StoreRecord& record);
    std::unordered_map<Hash, StoredBlock> blocks_;
};

}  // namespace fardel
