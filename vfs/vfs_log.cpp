// What a Vfs says to VfsOptions::log, and its figures.
#include "vfs_state.h"

#include <fardel/format/block_cache.h>
#include <fardel/format/bundle.h>

namespace fardel {

void Vfs::Impl::log_refusal(const Error& error) const {
    if (!options.log)
        return;
    switch (error.code()) {
        // A game looks for files that need not be there, and in names that players type.
        case ErrorCode::missing:
        case ErrorCode::limit:
        case ErrorCode::unresolved: return;
        case ErrorCode::corrupt:
        case ErrorCode::malformed:
        case ErrorCode::io: return options.log(LogLevel::error, error.message());
        default: return options.log(LogLevel::warning, error.message());
    }
}

void Vfs::Impl::log_failed_change(const Error& error) const {
    if (options.log)
        options.log(LogLevel::warning, "nothing was mounted: " + error.message());
}

void Vfs::Impl::log_mounts(std::span<const MountId> gone, std::span<const MountId> ids,
                           std::span<const OpenedMount> opened) const {
    if (!options.log)
        return;
    for (const MountId id : gone)
        options.log(LogLevel::note, "unmounted " + std::to_string(static_cast<std::uint32_t>(id)));
    for (std::size_t i = 0; i < opened.size(); ++i) {
        const Mount& mount = opened[i].mount;
        options.log(LogLevel::note, "mounted " + mount.bundle().label() + " at /" + mount.mount_point + " as " +
                                        std::to_string(static_cast<std::uint32_t>(ids[i])) +
                                        (mount.tainted() ? ", which no policy vouches for" : ""));
    }
}

VfsFigures Vfs::figures() const {
    if (!impl_->cache)
        return {};
    const BlockCache::Usage usage = impl_->cache->usage();
    return {.cached_bytes = usage.bytes,
            .hits = usage.hits,
            .misses = usage.misses,
            .decoded_bytes = usage.decoded_bytes,
            .stalls = usage.stalls};
}

}  // namespace fardel
