// RetentionDisk: the files of a store as the protocol of retention sees them: one lock, records, packs, the list of
// what is condemned, leases of writers, and uses by readers.
//
// A seam: a store on disk implements it, and so does the disk of the model test. One thread at a time.
#pragma once

#include "retention/condemned_list.h"
#include "retention/leased_ids.h"

#include <fardel/base/file_lock.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

// The file of a lease, with a lock on it. The destructor removes it.
class LeaseFile {
public:
    virtual ~LeaseFile() = default;
    // While the lock of the store is held.
    virtual Status write(const LeasedIds& ids) = 0;
};

struct FoundLease {
    std::string name;
    bool is_locked = false;  // by a living writer
    UnixTime renewed;
    std::optional<LeasedIds> ids;  // nothing: it cannot be read
};

struct PackOnDisk {
    Hash id;
    std::uint64_t size_bytes = 0;
};

class RetentionDisk {
public:
    virtual ~RetentionDisk() = default;

    // Waits for the lock of the store, which lasts until the object is destroyed or the program ends. Errors: busy
    // (after a long wait), unsupported (the file system has no locks), denied, no_space, io.
    virtual Result<std::unique_ptr<DiskHold>> lock() = 0;

    virtual Result<std::vector<BundleId>> list_records() = 0;
    // Returns the packs that the bundle's record names; nothing if there is no record.
    virtual Result<std::optional<std::vector<Hash>>> find_packs_of(const BundleId& bundle) = 0;
    // Returns when the removal is durable.
    virtual Status remove_record(const BundleId& bundle) = 0;
    // Makes durable what other programs, which may have been killed, did to records.
    virtual Status sync_records() = 0;

    // Returns the bundles with a pin that has not ended.
    virtual Result<std::vector<BundleId>> list_pinned(UnixTime now) = 0;

    virtual Result<std::vector<PackOnDisk>> list_packs() = 0;
    virtual Result<bool> has_pack(const Hash& pack) = 0;
    virtual Status remove_pack(const Hash& pack) = 0;

    // Returns an empty list if there is none, or if it is damaged: nothing is condemned then.
    virtual Result<CondemnedList> read_condemned() = 0;
    // In one step, and durable.
    virtual Status replace_condemned(const CondemnedList& list) = 0;

    // Both while the lock of the store is held.
    virtual Result<std::unique_ptr<LeaseFile>> create_lease() = 0;
    virtual Result<std::vector<FoundLease>> list_leases() = 0;
    virtual Status remove_lease(const std::string& name) = 0;

    // Notes that a reader uses the bundle from now until the object is destroyed. Returns nullptr if a collection has
    // claimed it.
    virtual Result<std::unique_ptr<DiskHold>> open_use(const BundleId& bundle) = 0;
    // Keeps readers away until the object is destroyed. Returns nullptr if a reader uses the bundle.
    virtual Result<std::unique_ptr<DiskHold>> claim_use(const BundleId& bundle) = 0;
    // Removes what is known about the bundle, while the claim is held.
    virtual Status forget_use(const BundleId& bundle) = 0;
};

}  // namespace fardel
