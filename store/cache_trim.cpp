#include "cache_folder.h"
#include "trim_plan.h"

#include <fardel/store/cache_layers.h>

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <utility>

namespace fardel {
namespace {

constexpr std::int64_t kUnfinishedForNs =
    std::int64_t(24) * 3600 * 1'000'000'000;  // an unfinished file this old is abandoned

// Limits the rate of removals.
class Pace {
public:
    Pace(std::uint32_t per_second_max, std::stop_token stop)
        : interval_(std::chrono::nanoseconds(1'000'000'000) / std::max(per_second_max, 1u)), stop_(std::move(stop)) {}

    // Waits for the next turn. Returns false on a stop request.
    bool wait() {
        const auto due = start_ + interval_ * count_++;
        if (due > std::chrono::steady_clock::now() + std::chrono::milliseconds(5)) {
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            never.wait_until(lock, stop_, due, [] { return false; });
        }
        return !stop_.stop_requested();
    }

private:
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    const std::chrono::nanoseconds interval_;
    const std::stop_token stop_;
    std::int64_t count_ = 0;
};

Error cancelled(const CacheFolder& folder) {
    return Error(ErrorCode::cancelled, folder.path() + ": trimming was stopped");
}

struct Listing {
    std::vector<CacheFile> files;
    std::vector<UnfinishedFile> unfinished;
};

Result<Listing> list(const CacheFolder& folder, const std::stop_token& stop) {
    Listing listing;
    for (const CacheFileKind kind : {CacheFileKind::record, CacheFileKind::object})
        for (unsigned shard = 0; shard < kCacheShards; ++shard) {
            if (stop.stop_requested())
                return cancelled(folder);
            FARDEL_TRY_ASSIGN(CacheShard found, folder.list(kind, shard));
            std::ranges::move(found.files, std::back_inserter(listing.files));
            std::ranges::move(found.unfinished, std::back_inserter(listing.unfinished));
        }
    return listing;
}

enum class Removal : std::uint8_t { done, was_absent, was_used };

// Keeps a file that was used since it was listed. Another program may have removed it.
Result<Removal> remove_unused(const CacheFolder& folder, const CacheFile& file) {
    FARDEL_TRY_ASSIGN(const auto now, folder.find(file.kind, file.id));
    if (now && now->used_ns != file.used_ns)
        return Removal::was_used;
    FARDEL_TRY_ASSIGN(const bool removed, folder.remove(file.kind, file.id));
    return removed ? Removal::done : Removal::was_absent;
}

}  // namespace

Result<CacheTrimReport> trim_cache_folder(const std::string& path, const CacheTrimOptions& trim, std::stop_token stop) {
    FARDEL_TRY_ASSIGN(const CacheFolder folder, CacheFolder::open(path, false));
    FARDEL_TRY_ASSIGN(const std::int64_t now_ns, folder.time_ns());
    FARDEL_TRY_ASSIGN(Listing listing, list(folder, stop));

    CacheTrimReport trimmed;
    trimmed.files_seen = listing.files.size() + listing.unfinished.size();
    for (const CacheFile& file : listing.files)
        trimmed.bytes_left += file.size_bytes;
    const auto count = [&](std::uint64_t size_bytes) {
        ++trimmed.files_removed;
        trimmed.bytes_removed += size_bytes;
    };

    Pace pace(trim.removals_per_second_max, stop);
    for (const UnfinishedFile& file : listing.unfinished) {
        if (now_ns - file.used_ns < kUnfinishedForNs)
            continue;
        if (!pace.wait())
            return cancelled(folder);
        FARDEL_TRY_ASSIGN(const bool removed, folder.remove(file));
        if (removed)
            count(file.size_bytes);
    }
    for (const CacheFile& file : plan_trim(std::move(listing.files), trim, now_ns)) {
        if (!pace.wait())
            return cancelled(folder);
        FARDEL_TRY_ASSIGN(const Removal removal, remove_unused(folder, file));
        if (removal == Removal::done)
            count(file.size_bytes);
        if (removal != Removal::was_used)
            trimmed.bytes_left -= file.size_bytes;
    }
    return trimmed;
}

}  // namespace fardel
