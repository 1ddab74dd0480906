#include "cache_folder.h"
#include "cache_hold.h"
#include "cache_packing.h"
#include "trim_plan.h"

#include <fardel/base/file.h>
#include <fardel/base/random.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/format/staged_file.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

using TrimClock = std::chrono::steady_clock;

constexpr std::size_t kRemovalsPerLock = 64;
constexpr std::string_view kTrimmedName = "trimmed";  // its time is that of the last trim of the whole folder
constexpr std::int64_t kUnfinishedForNs =
    std::int64_t(24) * 3600 * 1'000'000'000;  // an unfinished file this old is abandoned

// Limits the rate of removals.
class Pace {
public:
    Pace(std::uint32_t per_second_max, std::stop_token stop)
        : interval_(std::chrono::nanoseconds(1'000'000'000) / std::max(per_second_max, 1u)), stop_(std::move(stop)) {}

    // Whether the next turn has to be waited for.
    bool is_early() const { return due() > TrimClock::now() + std::chrono::milliseconds(5); }
    // Waits for the next turn. Returns false on a stop request.
    bool wait() {
        if (is_early()) {
            std::mutex mutex;
            std::condition_variable_any never;
            std::unique_lock lock(mutex);
            never.wait_until(lock, stop_, due(), [] { return false; });
        }
        ++count_;
        return !stop_.stop_requested();
    }

private:
    TrimClock::time_point due() const { return start_ + interval_ * count_; }

    const TrimClock::time_point start_ = TrimClock::now();
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
    unsigned shards = 0;  // of kCacheShards
};

// Lists shard by shard, of records and objects, until the time is over. Begins anywhere, so that each shard gets its
// turn.
Result<Listing> list(const CacheFolder& folder, TrimClock::time_point deadline, const std::stop_token& stop) {
    Listing listing;
    std::array<std::byte, 1> first{};
    fill_random(first);
    for (; listing.shards < kCacheShards; ++listing.shards) {
        if (listing.shards != 0 && TrimClock::now() >= deadline)
            break;
        for (const CacheFileKind kind : {CacheFileKind::record, CacheFileKind::object}) {
            if (stop.stop_requested())
                return cancelled(folder);
            const unsigned shard = (std::to_integer<unsigned>(first[0]) + listing.shards) % kCacheShards;
            FARDEL_TRY_ASSIGN(CacheShard found, folder.list(kind, shard));
            std::ranges::move(found.files, std::back_inserter(listing.files));
            std::ranges::move(found.unfinished, std::back_inserter(listing.unfinished));
        }
    }
    return listing;
}

std::uint64_t bytes_of(const std::vector<CacheFile>& files) {
    std::uint64_t bytes = 0;
    for (const CacheFile& file : files)
        bytes += file.size_bytes;
    return bytes;
}

enum class Removal : std::uint8_t { done, was_absent, was_used };

// Keeps a file that was used since it was listed, or that a build began to use. Another program may have removed it.
Result<Removal> remove_unused(const CacheFolder& folder, const CacheTrimLock& lock, const CacheFile& file) {
    FARDEL_TRY_ASSIGN(const auto now, folder.find(file.kind, file.id));
    if (!now || now->packed)
        return Removal::was_absent;
    // Looked at again under the lock, in one phase and without a list of what is condemned: an entry that is gone is
    // built again, nothing more.
    if (now->used_ns != file.used_ns || now->used_ns >= lock.kept_since_ns())
        return Removal::was_used;
    FARDEL_TRY_ASSIGN(const bool removed, folder.remove(file.kind, file.id));
    return removed ? Removal::done : Removal::was_absent;
}

class CacheTrimmer {
public:
    CacheTrimmer(CacheFolder folder, const CacheTrimOptions& trim, std::stop_token stop)
        : folder_(std::move(folder)), trim_(trim), stop_(stop), pace_(trim.removals_per_second_max, std::move(stop)) {}

    Result<CacheTrimReport> run() {
        FARDEL_TRY_ASSIGN(const std::int64_t now_ns, folder_.time_ns());
        FARDEL_TRY_ASSIGN(const bool is_due, is_trim_due(now_ns));
        if (!is_due)
            return trimmed_;
        std::int64_t kept_since_ns = 0;
        {
            FARDEL_TRY_ASSIGN(const CacheTrimLock lock, CacheTrimLock::open(folder_));
            kept_since_ns = lock.kept_since_ns();
        }
        // A folder with so many files that listing takes all the time has to be packed most of all.
        const auto listed_until = trim_.packs ? deadline_ - trim_.time_max / 2 : deadline_;
        FARDEL_TRY_ASSIGN(Listing listing, list(folder_, listed_until, stop_));
        FARDEL_TRY_ASSIGN(const auto packs, folder_.list_packs());
        trimmed_.is_complete = listing.shards == kCacheShards;
        trimmed_.files_seen = listing.files.size() + listing.unfinished.size() + packs.size();
        CacheTrimOptions share = trim_;
        // The time was over before the whole folder was listed; the part that was is trimmed to its share, and packs,
        // which are no part of it, stay.
        if (trimmed_.is_complete)
            std::ranges::copy(packs, std::back_inserter(listing.files));
        else
            share.bytes_max =
                (share.bytes_max - std::min(share.bytes_max, bytes_of(packs))) / kCacheShards * listing.shards;
        trimmed_.bytes_left = bytes_of(listing.files);
        FARDEL_TRY(remove_abandoned(listing.unfinished, now_ns));
        const auto planned = plan_trim(listing.files, share, now_ns, kept_since_ns);
        if (trim_.packs)
            FARDEL_TRY(pack(std::move(listing.files), planned));
        FARDEL_TRY(remove_planned(planned));
        if (trimmed_.is_complete) {
            FARDEL_TRY_ASSIGN(const auto marker, stage_file(folder_.retention_path(kTrimmedName)));
            FARDEL_TRY(marker->commit());
        }
        return trimmed_;
    }

private:
    Result<bool> is_trim_due(std::int64_t now_ns) const {
        if (trim_.again_after <= std::chrono::minutes(0))
            return true;
        const FilePath path = folder_.retention_path(kTrimmedName);
        FARDEL_TRY_ASSIGN(const auto last, find_file_status(path, path, Links::refused));
        const std::int64_t since_ns = last ? now_ns - last->modified_ns : -1;
        return since_ns < 0 || since_ns >= std::chrono::nanoseconds(trim_.again_after).count();
    }

    Status remove_abandoned(const std::vector<UnfinishedFile>& unfinished, std::int64_t now_ns) {
        for (const UnfinishedFile& file : unfinished) {
            if (now_ns - file.used_ns < kUnfinishedForNs)
                continue;
            if (!pace_.wait())
                return cancelled(folder_);
            FARDEL_TRY_ASSIGN(const bool removed, folder_.remove(file));
            if (removed)
                count_removed(file.size_bytes);
        }
        return ok();
    }

    // Packs what is not going to be removed. First, so that a folder with too much to remove is packed, too.
    Status pack(std::vector<CacheFile> files, const std::vector<CacheFile>& planned) {
        if (!planned.empty())
            std::erase_if(files, [&](const CacheFile& file) { return !is_trimmed_before(planned.back(), file); });
        FARDEL_TRY_ASSIGN(const CachePackingReport packed,
                          pack_cache_files(folder_, std::move(files), deadline_, stop_));
        trimmed_.files_packed = packed.files_packed;
        trimmed_.bytes_left = trimmed_.bytes_left + packed.bytes_added - packed.bytes_removed;
        return ok();
    }

    Status remove_planned(const std::vector<CacheFile>& files) {
        std::optional<CacheTrimLock> lock;
        for (std::size_t i = 0; i < files.size(); ++i) {
            if (i % kRemovalsPerLock == 0 || pace_.is_early())
                lock.reset();  // builds may mark files meanwhile
            if (!pace_.wait())
                return cancelled(folder_);
            if (TrimClock::now() >= deadline_) {
                trimmed_.is_complete = false;
                return ok();
            }
            if (!lock) {
                FARDEL_TRY_ASSIGN(auto opened, CacheTrimLock::open(folder_));
                lock.emplace(std::move(opened));
            }
            FARDEL_TRY_ASSIGN(const Removal removal, remove_unused(folder_, *lock, files[i]));
            if (removal == Removal::done)
                count_removed(files[i].size_bytes);
            if (removal != Removal::was_used)
                trimmed_.bytes_left -= files[i].size_bytes;
        }
        return ok();
    }

    void count_removed(std::uint64_t size_bytes) {
        ++trimmed_.files_removed;
        trimmed_.bytes_removed += size_bytes;
    }

    const CacheFolder folder_;
    const CacheTrimOptions& trim_;
    const std::stop_token stop_;
    const TrimClock::time_point deadline_ = TrimClock::now() + trim_.time_max;
    Pace pace_;
    CacheTrimReport trimmed_;
};

}  // namespace

Result<CacheTrimReport> trim_cache_folder(const std::string& path, const CacheTrimOptions& trim, std::stop_token stop) {
    FARDEL_TRY_ASSIGN(CacheFolder folder, CacheFolder::open(path, false));
    return CacheTrimmer(std::move(folder), trim, std::move(stop)).run();
}

}  // namespace fardel
