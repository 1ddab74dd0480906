#include "cache_packing.h"

#include "cache_hold.h"
#include "cache_packs.h"
#include "cache_plan.h"
#include "trim_plan.h"

#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/folder.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/bundle_staging.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace fardel {
namespace {

using PackingClock = std::chrono::steady_clock;

constexpr std::size_t kMovedPerLock = 64;
// What a merge costs per entry at most, to leave a build alone that has no time for it.
constexpr auto kEntryTime = std::chrono::microseconds(25);

struct PackedEntry {
    CacheFileKind kind{};
    Hash id;
    std::vector<std::byte> bytes;
};

// A file that is in a pack, and what it was when it was read.
struct MovedFile {
    CacheFile file;
    FileStatus status;
};

// Returns nothing if another process has it.
Result<std::unique_ptr<DiskHold>> try_packing_lock(const CacheFolder& folder) {
    const FilePath path = folder.retention_path("packing");
    FARDEL_TRY_ASSIGN(Descriptor file, open_lock_file(path));
    FARDEL_TRY_ASSIGN(const bool locked, lock_file(file, path));
    return locked ? hold_locked(std::move(file)) : nullptr;
}

bool is_intact(CacheFileKind kind, const Hash& id, std::span<const std::byte> bytes) {
    return kind == CacheFileKind::record ? decode_cache_record(id_from<BuildKey>(id), bytes).has_value()
                                         : blake3(bytes) == id;
}

// Everything in a pack, in the order of the file: what lay together is read together, and stays together.
Result<std::vector<PackedEntry>> read_pack(const std::shared_ptr<const Bundle>& bundle) {
    struct Placed {
        CacheFileKind kind{};
        BundledEntry entry;
        PlacementRecord placement;
    };
    std::vector<Placed> placed;
    std::uint64_t content_bytes = 0;
    for (const CacheFileKind kind : {CacheFileKind::record, CacheFileKind::object}) {
        FARDEL_TRY_ASSIGN(auto entries, list_bundled(bundle, kind));
        for (BundledEntry& entry : entries) {
            FARDEL_TRY_ASSIGN(const PlacementRecord placement, bundle->placement(entry.bytes.asset));
            content_bytes += entry.bytes.size_bytes;
            placed.push_back({kind, std::move(entry), placement});
        }
    }
    if (content_bytes > kPackContentBytesMax)
        return Error(ErrorCode::limit, bundle->label() + ": " + std::to_string(content_bytes) +
                                           " bytes of entries; a pack has at most " +
                                           std::to_string(kPackContentBytesMax));
    std::ranges::sort(placed, {}, [](const Placed& one) {
        return std::tuple(one.placement.first_block, one.placement.offset, one.kind, one.entry.id);
    });
    std::vector<PackedEntry> entries;
    for (const Placed& one : placed) {
        FARDEL_TRY_ASSIGN(auto bytes, one.entry.bytes.read(kPackedBytesMax));
        if (!is_intact(one.kind, one.entry.id, bytes))
            return Error(ErrorCode::corrupt, bundle->label() + ": an entry has other bytes than its name says");
        entries.push_back({one.kind, one.entry.id, std::move(bytes)});
    }
    return entries;
}

// One pack: what it is to have, in order of age, and which files and packs it replaces.
class NewPack {
public:
    NewPack(const CacheFolder& folder, PackingClock::time_point deadline, const std::stop_token& stop)
        : folder_(folder), deadline_(deadline), stop_(stop) {}

    // Reads files from the back of the list, which are the oldest, until the pack is full or a third of the time is
    // over: writing and removing take about as long.
    Status take(std::vector<CacheFile>& files) {
        const auto until = PackingClock::now() + (deadline_ - PackingClock::now()) / 3;
        std::vector<PackedEntry> entries;
        while (!files.empty() && !is_full(entries.size()) && PackingClock::now() < until) {
            if (stop_.stop_requested())
                return cancelled();
            FARDEL_TRY(take(files.back(), entries));
            files.pop_back();
        }
        entry_count_ = entries.size();
        groups_.push_back(std::move(entries));
        return ok();
    }

    // Adds the content of the newest packs as long as they are not much larger than what is there already, as a merge
    // sort does: an entry is copied a few times in its life, and the number of packs is logarithmic.
    Status merge() {
        is_full_ = is_full(entry_count_);
        if (entry_count_ == 0)
            return ok();
        FARDEL_TRY_ASSIGN(const auto numbers, folder_.packs().list_numbers());
        number_ = numbers.empty() ? 1 : numbers.front() + 1;
        FARDEL_TRY_ASSIGN(const auto packs, folder_.list_packs());
        packs_there_ = packs.size();
        for (const CacheFile& pack : packs) {
            const auto bundle = folder_.packs().open(cache_pack_number(pack.id));
            if (!bundle && !is_broken_content(bundle.error()))
                break;
            if (bundle && !has_room_for(pack, **bundle))
                break;
            auto entries = bundle ? read_pack(*bundle) : Result<std::vector<PackedEntry>>(bundle.error());
            if (!entries && entries.error().code() == ErrorCode::limit)
                break;  // not one of ours: it has larger files
            if (!entries && !is_broken_content(entries.error()))
                return std::move(entries).error();
            if (entries && !add_older(*std::move(entries)))
                break;
            replaced_.push_back(pack);
        }
        return ok();
    }

    // Returns false if there are too many packs, or another process has written one.
    Result<bool> write() {
        if (entry_count_ == 0)
            return true;
        if (packs_there_ - replaced_.size() >= kPacksMax || number_ == 0)
            return false;
        const FilePath path = folder_.path_of(CacheFileKind::pack, cache_pack_id(number_));
        FARDEL_TRY(create_folders_below_root(path.folder(), Lasting::yes));
        FARDEL_TRY_ASSIGN(auto file, stage_file(path, ExistingFile::kept));
        CachePlan plan;
        // The oldest first.
        for (auto group = groups_.rbegin(); group != groups_.rend(); ++group)
            for (PackedEntry& entry : *group)
                FARDEL_TRY(plan.add_file(entry.kind, entry.id, std::move(entry.bytes)));
        FARDEL_TRY_ASSIGN(StagedBundle staged,
                          write_bundle(plan.take(), std::move(file), {.purpose = BundlePurpose::load, .stop = stop_}));
        const Status committed = staged.commit();
        if (!committed && committed.error().code() == ErrorCode::conflict)
            return false;
        if (!committed)
            return committed.error();
        report_.bytes_added += staged.summary().file_bytes;
        return true;
    }

    // A record that was replaced since it was read stays: it is newer than that in the pack. (If it is replaced between
    // the look and the removal, the older one counts, which is as true, and knows less.) What there is no time for is
    // found in the pack by the next packing, and removed then.
    Status remove_moved() {
        std::optional<CacheTrimLock> lock;
        for (std::size_t i = 0; i < moved_.size() && PackingClock::now() < deadline_; ++i) {
            if (stop_.stop_requested())
                return cancelled();
            if (i % kMovedPerLock == 0) {
                lock.reset();  // builds may mark files meanwhile
                FARDEL_TRY_ASSIGN(auto opened, CacheTrimLock::open(folder_));
                lock.emplace(std::move(opened));
            }
            FARDEL_TRY(remove(moved_[i]));
        }
        for (const CacheFile& pack : replaced_) {
            FARDEL_TRY_ASSIGN(const bool removed, folder_.remove(pack.kind, pack.id));
            report_.bytes_removed += removed ? pack.size_bytes : 0;
        }
        return ok();
    }

    // Whether there was no room for more files.
    bool is_full() const noexcept { return is_full_; }
    const CachePackingReport& report() const noexcept { return report_; }

private:
    // Half of what a pack may have, so that it can be merged.
    bool is_full(std::size_t entries) const noexcept {
        return entries >= kPackEntriesMax / 2 || content_bytes_ >= kPackContentBytesMax / 2;
    }

    Error cancelled() const { return Error(ErrorCode::cancelled, folder_.path() + ": packing was stopped"); }

    // Leaves out what is broken, which its reader removes, and what is in a pack already.
    Status take(const CacheFile& file, std::vector<PackedEntry>& entries) {
        FARDEL_TRY_ASSIGN(const auto status, folder_.find_status(file.kind, file.id));
        if (!status)
            return ok();
        auto bytes = folder_.find_bytes(file, kPackedBytesMax);
        if (!bytes || !*bytes || !is_intact(file.kind, file.id, **bytes))
            return ok();
        moved_.push_back({file, *status});
        if (is_packed(file, **bytes))
            return ok();
        content_bytes_ += (*bytes)->size();
        known_.emplace(file.kind, file.id);
        entries.push_back({file.kind, file.id, **std::move(bytes)});
        return ok();
    }

    bool is_packed(const CacheFile& file, std::span<const std::byte> bytes) const {
        const auto packed = folder_.packs().find(file.kind, file.id);
        if (!packed)
            return false;
        const auto there = packed->bytes.read(kPackedBytesMax);
        return there && std::ranges::equal(*there, bytes);
    }

    bool has_room_for(const CacheFile& pack, const Bundle& bundle) const {
        const std::uint64_t count = bundle.name_count();
        return content_bytes_ + pack.size_bytes <= kPackContentBytesMax && count < 2 * entry_count_ &&
               entry_count_ + count <= kPackEntriesMax &&
               kEntryTime * static_cast<std::int64_t>(entry_count_ + count) < deadline_ - PackingClock::now();
    }

    bool add_older(std::vector<PackedEntry> entries) {
        std::erase_if(entries, [&](const PackedEntry& entry) { return known_.contains({entry.kind, entry.id}); });
        std::uint64_t bytes = 0;
        for (const PackedEntry& entry : entries)
            bytes += entry.bytes.size();
        if (content_bytes_ + bytes > kPackContentBytesMax)
            return false;
        for (const PackedEntry& entry : entries)
            known_.emplace(entry.kind, entry.id);
        content_bytes_ += bytes;
        entry_count_ += entries.size();
        groups_.push_back(std::move(entries));
        return true;
    }

    Status remove(const MovedFile& moved) {
        FARDEL_TRY_ASSIGN(const auto now, folder_.find_status(moved.file.kind, moved.file.id));
        const bool is_same = now && now->same_file_as(moved.status) && now->size_bytes == moved.status.size_bytes &&
                             now->modified_ns == moved.status.modified_ns;
        if (!is_same)
            return ok();
        FARDEL_TRY_ASSIGN(const bool removed, folder_.remove(moved.file.kind, moved.file.id));
        report_.files_packed += removed ? 1 : 0;
        report_.bytes_removed += removed ? now->size_bytes : 0;
        return ok();
    }

    const CacheFolder& folder_;
    const PackingClock::time_point deadline_;
    const std::stop_token& stop_;
    std::uint64_t number_ = 1;
    std::size_t packs_there_ = 0;
    std::vector<MovedFile> moved_;
    std::vector<CacheFile> replaced_;                 // packs
    std::vector<std::vector<PackedEntry>> groups_;    // the newest first; each the oldest first
    std::set<std::pair<CacheFileKind, Hash>> known_;  // what is in them
    std::size_t entry_count_ = 0;
    std::uint64_t content_bytes_ = 0;
    bool is_full_ = false;
    CachePackingReport report_;
};

void add(CachePackingReport& sum, const CachePackingReport& one) {
    sum.files_packed += one.files_packed;
    sum.bytes_removed += one.bytes_removed;
    sum.bytes_added += one.bytes_added;
}

}  // namespace

Result<CachePackingReport> pack_cache_files(const CacheFolder& folder, std::vector<CacheFile> files,
                                            std::chrono::steady_clock::time_point deadline,
                                            const std::stop_token& stop) {
    CachePackingReport report;
    std::erase_if(files, [](const CacheFile& file) {
        return file.kind == CacheFileKind::pack || file.size_bytes > kPackedBytesMax;
    });
    if (files.size() < kPackedAtLeast)
        return report;
    FARDEL_TRY_ASSIGN(const auto lock, try_packing_lock(folder));
    if (!lock)
        return report;
    // What was used together lies together, because one build will look for it.
    std::ranges::sort(files, [](const CacheFile& a, const CacheFile& b) { return is_trimmed_before(b, a); });
    for (bool goes_on = true; goes_on && files.size() >= kPackedAtLeast && PackingClock::now() < deadline;) {
        NewPack pack(folder, deadline, stop);
        FARDEL_TRY(pack.take(files));
        FARDEL_TRY(pack.merge());
        FARDEL_TRY_ASSIGN(const bool written, pack.write());
        if (!written)
            break;
        FARDEL_TRY(pack.remove_moved());
        add(report, pack.report());
        goes_on = pack.is_full();
    }
    return report;
}

}  // namespace fardel
