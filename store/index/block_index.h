// BlockIndex: where a store has the stored bytes of blocks, by their hashes.
//
// Read from the layouts of the bundles, and kept in sorted files below index/ in the store, which may be deleted at any
// time: what is not in them is read again. A file has the blocks of some records; when one is added, smaller ones are
// merged into it, so there are few. Any number of processes at once, each with an object of its own; one thread.
#pragma once

#include "index/index_run.h"
#include "packs/store_folder.h"

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

class BlockIndex {
public:
    // Reads the layouts of bundles that no file covers, and writes these down if it can. Bundles whose records, packs
    // or layouts are damaged are left out. Errors: io, denied (of the store itself).
    static Result<BlockIndex> open(const StoreFolder& folder);

    // Returns where bytes with this hash should be; nothing is known about the bytes themselves.
    std::optional<StoredBlock> find(const Hash& stored_hash);

    // The same for many, which reads each page of a file once if there are enough of them.
    std::vector<std::optional<StoredBlock>> find_all(std::span<const Hash> stored_hashes);

    // How many layouts open() has read.
    std::size_t layouts_read() const noexcept { return layouts_read_; }

private:
    explicit BlockIndex(const StoreFolder& folder) : folder_(folder) {}
    Result<std::vector<IndexedRecord>> read_runs();
    void add_layouts(const std::vector<IndexedRecord>& records);
    bool add_layout(const StoreRecord& record);
    void write_added();
    Status write_added(const FilePath& path, std::vector<IndexRun>& absorbed);

    StoreFolder folder_;
    std::vector<IndexedRecord> records_;  // that are in the store, ascending
    std::vector<IndexRun> runs_;
    IndexRunHead added_head_;           // of what is in no run yet
    std::vector<IndexRunEntry> added_;  // by key, each key once
    bool writes_ = true;                // false: the store cannot be written
    std::size_t layouts_read_ = 0;
};

}  // namespace fardel
