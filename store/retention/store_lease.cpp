#include "retention/store_lease.h"

#include <fardel/format/hash.h>

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

}  // namespace

Result<StoreLease> StoreLease::open(std::shared_ptr<RetentionDisk> disk) {
    const auto lock = disk->lock();
    if (!lock && has_no_locks(lock.error()))
        return StoreLease(std::move(disk), nullptr);
    if (!lock)
        return lock.error();
    FARDEL_TRY_ASSIGN(auto file, disk->create_lease());
    return StoreLease(std::move(disk), std::move(file));
}

Status StoreLease::hold(const LeasedIds& ids) {
    if (file_ == nullptr || (ids.bundles.empty() && ids.packs.empty()))
        return ok();
    FARDEL_TRY_ASSIGN(const auto lock, disk_->lock());
    ids_.bundles.insert(ids_.bundles.end(), ids.bundles.begin(), ids.bundles.end());
    ids_.packs.insert(ids_.packs.end(), ids.packs.begin(), ids.packs.end());
    FARDEL_TRY(file_->write(ids_));
    return take_back(*disk_, ids);
}

Status StoreLease::publish(const BundleId& bundle, std::span<const Hash> packs, const std::function<Status()>& write) {
    if (file_ == nullptr)
        return write();
    FARDEL_TRY_ASSIGN(const auto lock, disk_->lock());
    for (const Hash& pack : packs) {
        FARDEL_TRY_ASSIGN(const bool is_there, disk_->has_pack(pack));
        if (!is_there)
            return Error(ErrorCode::conflict, "bundle " + bundle.hex() + ": another program removed pack " +
                                                  pack.hex() + " meanwhile; try again");
    }
    FARDEL_TRY(take_back(*disk_, {.bundles = {bundle}, .packs = {packs.begin(), packs.end()}}));
    return write();
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
