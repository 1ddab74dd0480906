// StoreLease: what a writer or reader of a store does so that no collection removes what it needs.
//
// docs/retention.md explains the protocol. One thread at a time has the same object.
#pragma once

#include "retention/retention_disk.h"

#include <fardel/base/result.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace fardel {

// Names what a writer is going to use. A collection keeps it as long as the object lives, and on a file system without
// locks, where collections refuse to run, for a day: another computer may see the same files with locks.
class StoreLease {
public:
    static Result<StoreLease> open(std::shared_ptr<RetentionDisk> disk);

    // From now on these are kept if they are there; look afterwards. What is condemned is taken back; without locks it
    // is a conflict. A pack under construction is held before it gets its name.
    Status hold(const LeasedIds& ids);
    // Calls `write`, which writes the bundle's record, if all packs are there. Error: conflict (one is not).
    Status publish(const BundleId& bundle, std::span<const Hash> packs, const std::function<Status()>& write);

    // Whether no reader uses one of the bundles, and no lease, this one included, names one.
    Result<bool> are_free(std::span<const BundleId> bundles);
    // Calls `write` for each bundle. It replaces the bundle's record by one that names `pack`, which this lease holds,
    // and changes nothing else in it. Does nothing if one of the bundles is not free, or if `is_same`, which compares a
    // record with the one that was read before, returns false. Returns how many records were replaced: fewer than all
    // if a reader began to use a bundle meanwhile.
    Result<std::size_t> replace(std::span<const BundleId> bundles, const Hash& pack,
                                const std::function<Result<bool>(const BundleId&)>& is_same,
                                const std::function<Status(const BundleId&)>& write);

private:
    StoreLease(std::shared_ptr<RetentionDisk> disk, std::unique_ptr<LeaseFile> file, bool has_locks)
        : disk_(std::move(disk)), file_(std::move(file)), has_locks_(has_locks) {}
    Result<bool> are_free_now(std::span<const BundleId> bundles);
    std::shared_ptr<RetentionDisk> disk_;
    std::unique_ptr<LeaseFile> file_;
    bool has_locks_;
    LeasedIds ids_;
};

// Notes that a reader uses a bundle from now until the returned object is destroyed, and takes it back if it is
// condemned. Call it before the record is read. Returns nullptr if the store cannot be written to.
std::unique_ptr<DiskHold> use_bundle(RetentionDisk& disk, const BundleId& bundle);

}  // namespace fardel
