#include "cache_hold.h"

#include <algorithm>
#include <limits>

namespace fardel {
namespace {

constexpr std::int64_t kLeaseTimeNs = 1'000'000'000;  // the precision of a lease's time

// A build marks what was not used for so long before it began; what was used later is kept without a mark.
constexpr std::int64_t kUsedBeforeNs = std::int64_t(30) * 60 * kLeaseTimeNs;

LeaseFolder leases_of(const CacheFolder& folder) { return LeaseFolder(folder.retention_path("leases")); }

Result<std::unique_ptr<DiskHold>> lock_cache(const CacheFolder& folder, LockSharing sharing) {
    const FilePath path = folder.retention_path("lock");
    FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(path));
    return wait_for_lock(std::move(file), path, sharing);
}

}  // namespace

Result<CacheHold> CacheHold::open(const CacheFolder& folder) {
    FARDEL_TRY_ASSIGN(const auto lock, lock_cache(folder, LockSharing::shared));
    // The lease lists nothing: it stands for everything that was used since the build began. A list of 100,000 ids
    // would be written again for each hit; so one build that runs for days keeps what all others use.
    FARDEL_TRY_ASSIGN(auto lease, leases_of(folder).create());
    FARDEL_TRY_ASSIGN(const std::int64_t now_ns, folder.time_ns());  // not before the time of the lease
    return CacheHold(folder, std::move(lease), now_ns - kUsedBeforeNs);
}

Result<bool> CacheHold::use(const CacheFile& file) const {
    // The common case costs no write and no lock.
    if (file.used_ns >= since_ns_)
        return true;
    FARDEL_TRY_ASSIGN(const auto lock, lock_cache(folder_, LockSharing::shared));
    FARDEL_TRY_ASSIGN(const auto there, folder_.find(file.kind, file.id));
    if (there)
        folder_.mark_used(*there);
    return there.has_value();
}

Result<CacheTrimLock> CacheTrimLock::open(const CacheFolder& folder) {
    FARDEL_TRY_ASSIGN(auto lock, lock_cache(folder, LockSharing::alone));
    FARDEL_TRY_ASSIGN(const auto leases, leases_of(folder).list());
    std::int64_t kept_since_ns = std::numeric_limits<std::int64_t>::max();
    for (const FoundFileLease& lease : leases) {
        if (lease.is_locked)
            kept_since_ns = std::min(kept_since_ns,
                                     static_cast<std::int64_t>(lease.renewed.seconds) * kLeaseTimeNs - kUsedBeforeNs);
        else
            FARDEL_TRY(leases_of(folder).remove(lease.name));  // of a build that was killed
    }
    return CacheTrimLock(std::move(lock), kept_since_ns);
}

}  // namespace fardel
