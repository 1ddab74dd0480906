// UsedPacks: the packs of a store that a bundle on its way uses: open, and held by its lease. One thread.
#pragma once

#include "packs/store_folder.h"
#include "packs/store_record.h"
#include "retention/store_lease.h"

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>

namespace fardel {

class UsedPacks {
public:
    // Both outlive the object.
    UsedPacks(const StoreFolder& folder, StoreLease& lease) : folder_(&folder), lease_(&lease) {}

    // Returns whether the pack is there and open, and not damaged.
    bool open(const StorePack& pack);
    // Reads the whole pack. If it does not have the bytes of its name, it is not opened. `subject`: names the bundle in
    // errors. Error: cancelled.
    Status prove(const StorePack& pack, const std::string& subject, const std::stop_token& stop);

    // Of a pack that is open.
    StorePack pack(const PackId& id) const { return {.id = id, .size_bytes = sources_.at(id)->size_bytes()}; }
    const std::shared_ptr<const ByteSource>& source(const PackId& id) const { return sources_.at(id); }

private:
    const StoreFolder* folder_;
    StoreLease* lease_;
    std::map<PackId, std::shared_ptr<const ByteSource>> sources_;
    std::set<PackId> damaged_;
};

}  // namespace fardel
