#include "retention/store_lease.h"

#include <fardel/format/hash.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// While the lock of the store is held.
Status take_back(RetentionDisk& disk, const LeasedIds& ids) {
    FARDEL_TRY_ASSIGN(CondemnedList list, disk.read_condemned());
    bool changed = false;
    for (const BundleId& bundle : ids.bundles)
        changed |= list.remove(CondemnedKind::bundle, id_from<Hash>(bundle));
    for (const Hash& pack : ids.packs)
        changed |= list.remove(CondemnedKind::pack, pack);
    return changed ? disk.replace_condemned(list) : ok();
}

bool has_no_locks(const Error& error) { return error.code() == ErrorCode::unsupported; }

// Without locks, after the lease is written: what a collection elsewhere condemned before it saw the lease may go, and
// what is not condemned now stays. docs/retention.md, "Locks and clocks".
Status verify_not_condemned(RetentionDisk& disk, const LeasedIds& ids) {
    FARDEL_TRY_ASSIGN(const CondemnedList list, disk.read_condemned());
    const auto refuse = [](const std::string& what) {
        return Error(ErrorCode::conflict, what +
                                              " is condemned, and other computers do not see locks of this one; "
                                              "add the bundle on the computer that has the folder");
    };
    for (const BundleId& bundle : ids.bundles)
        if (list.find(CondemnedKind::bundle, id_from<Hash>(bundle)) != nullptr)
            return refuse("bundle " + bundle.hex());
    for (const Hash& pack : ids.packs)
        if (list.find(CondemnedKind::pack, pack) != nullptr)
            return refuse("pack " + pack.hex());
    return ok();
}

}  // namespace

Result<StoreLease> StoreLease::open(std::shared_ptr<RetentionDisk> disk) {
    const auto lock = disk->lock();
    if (!lock && !has_no_locks(lock.error()))
        return lock.error();
    FARDEL_TRY_ASSIGN(auto file, disk->create_lease());
    return StoreLease(std::move(disk), std::move(file), lock.has_value());
}

Status StoreLease::hold(const LeasedIds& ids) {
    if (ids.bundles.empty() && ids.packs.empty())
        return ok();
    std::unique_ptr<DiskHold> lock;
    if (has_locks_) {
        FARDEL_TRY_ASSIGN(lock, disk_->lock());
    }
    ids_.bundles.insert(ids_.bundles.end(), ids.bundles.begin(), ids.bundles.end());
    ids_.packs.insert(ids_.packs.end(), ids.packs.begin(), ids.packs.end());
    // First written, then taken back: a collection that reads the leases after this sees them, and one that read them
    // before has condemned at most what is taken back here. Both under the lock.
    FARDEL_TRY(file_->write(ids_));
    return has_locks_ ? take_back(*disk_, ids) : verify_not_condemned(*disk_, ids);
}

Status StoreLease::publish(const BundleId& bundle, std::span<const Hash> packs, const std::function<Status()>& write) {
    std::unique_ptr<DiskHold> lock;
    if (has_locks_) {
        FARDEL_TRY_ASSIGN(lock, disk_->lock());
    }
    // Under the lock, so that what is there now is there when the record is.
    for (const Hash& pack : packs) {
        FARDEL_TRY_ASSIGN(const bool is_there, disk_->has_pack(pack));
        if (!is_there)
            return Error(ErrorCode::conflict, "bundle " + bundle.hex() + ": another program removed pack " +
                                                  pack.hex() + " meanwhile; try again");
    }
    const LeasedIds ids{.bundles = {bundle}, .packs = {packs.begin(), packs.end()}};
    FARDEL_TRY(has_locks_ ? take_back(*disk_, ids) : verify_not_condemned(*disk_, ids));
    return write();
}

// While the lock of the store is held.
Result<bool> StoreLease::are_free_now(std::span<const BundleId> bundles) {
    FARDEL_TRY_ASSIGN(const auto leases, disk_->list_leases());
    for (const FoundLease& lease : leases)
        // A lease that cannot be read may name any bundle.
        if (!lease.ids || std::ranges::any_of(bundles, [&](const BundleId& bundle) {
                return std::ranges::find(lease.ids->bundles, bundle) != lease.ids->bundles.end();
            }))
            return false;
    for (const BundleId& bundle : bundles) {
        FARDEL_TRY_ASSIGN(const auto claim, disk_->claim_use(bundle));
        if (claim == nullptr)
            return false;
    }
    return true;
}

Result<bool> StoreLease::are_free(std::span<const BundleId> bundles) {
    if (!has_locks_)
        return false;
    FARDEL_TRY_ASSIGN(const auto lock, disk_->lock());
    return are_free_now(bundles);
}

Result<std::size_t> StoreLease::replace(std::span<const BundleId> bundles, const Hash& pack,
                                        const std::function<Result<bool>(const BundleId&)>& is_same,
                                        const std::function<Status(const BundleId&)>& write) {
    if (!has_locks_)
        return std::size_t{0};
    FARDEL_TRY_ASSIGN(const auto lock, disk_->lock());
    FARDEL_TRY_ASSIGN(bool goes, are_free_now(bundles));
    if (goes) {
        FARDEL_TRY_ASSIGN(goes, disk_->has_pack(pack));
    }
    for (std::size_t i = 0; goes && i < bundles.size(); ++i) {
        FARDEL_TRY_ASSIGN(goes, is_same(bundles[i]));
    }
    std::size_t replaced = 0;
    for (std::size_t i = 0; goes && i < bundles.size(); ++i) {
        // With the claim, no reader has a pack open that the record names no more.
        FARDEL_TRY_ASSIGN(const auto claim, disk_->claim_use(bundles[i]));
        if (claim == nullptr)
            continue;
        FARDEL_TRY(write(bundles[i]));
        ++replaced;
    }
    return replaced;
}

std::unique_ptr<DiskHold> use_bundle(RetentionDisk& disk, const BundleId& bundle) {
    auto use = disk.open_use(bundle);
    if (!use)
        return nullptr;
    std::unique_ptr<DiskHold> lock;
    if (*use == nullptr) {  // a collection is deciding about it
        auto locked = disk.lock();
        if (!locked)
            return nullptr;
        lock = *std::move(locked);
        use = disk.open_use(bundle);
    }
    const auto condemned = disk.read_condemned();
    const CondemnedMark* const mark =
        condemned ? condemned->find(CondemnedKind::bundle, id_from<Hash>(bundle)) : nullptr;
    if (mark != nullptr && mark->reason != RemovalReason::unlicensed) {  // only another token takes that back
        if (lock == nullptr)
            if (auto locked = disk.lock())
                lock = *std::move(locked);
        if (lock != nullptr)
            static_cast<void>(take_back(disk, {.bundles = {bundle}, .packs = {}}));
    }
    return use ? *std::move(use) : nullptr;
}

}  // namespace fardel
