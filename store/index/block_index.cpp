#include "index/block_index.h"

#include "packs/record_source.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/random.h>
#include <fardel/format/bundle.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kRunEnding = ".blocks";
constexpr std::size_t kRunDigits = 32;
constexpr std::size_t kAddedEntriesMax = 1u << 20;  // in memory; then they become a run

// Packs with the numbers that they have in a run.
class PackNumbers {
public:
    explicit PackNumbers(std::vector<StorePack>& packs) : packs_(packs) {
        for (std::size_t i = 0; i < packs_.size(); ++i)
            numbers_.emplace(packs_[i].id, static_cast<std::uint32_t>(i));
    }
    std::uint32_t number_of(const StorePack& pack) {
        const auto [found, is_new] = numbers_.try_emplace(pack.id, static_cast<std::uint32_t>(packs_.size()));
        if (is_new)
            packs_.push_back(pack);
        return found->second;
    }

private:
    std::vector<StorePack>& packs_;
    std::unordered_map<PackId, std::uint32_t> numbers_;
};

// The entries of what was added, and of runs, in one order; of equal keys the first.
class MergedEntries {
public:
    MergedEntries(std::vector<IndexRun>& runs, const std::vector<IndexRunEntry>& added,
                  std::vector<std::vector<std::uint32_t>> renumbered)
        : runs_(runs), added_(added), renumbered_(std::move(renumbered)), at_(runs.size() + 1) {}

    Result<std::optional<IndexRunEntry>> next() {
        for (;;) {
            std::optional<IndexRunEntry> least;
            std::size_t from = 0;
            for (std::size_t i = 0; i < at_.size(); ++i) {
                FARDEL_TRY_ASSIGN(const auto entry, entry_at(i));
                if (entry && (!least || entry->key < least->key)) {
                    least = entry;
                    from = i;
                }
            }
            if (!least)
                return std::optional<IndexRunEntry>();
            ++at_[from];
            // Of several places of one block the first is enough, and places in packs that are gone are left out.
            const bool is_known = latest_ && *latest_ == least->key;
            if (is_known || !renumber(*least, from))
                continue;
            latest_ = least->key;
            return least;
        }
    }

private:
    // Source 0 is what was added.
    Result<std::optional<IndexRunEntry>> entry_at(std::size_t source) {
        const std::uint64_t at = at_[source];
        if (source == 0)
            return at < added_.size() ? std::optional(added_[static_cast<std::size_t>(at)]) : std::nullopt;
        IndexRun& run = runs_[source - 1];
        if (at >= run.head().entries)
            return std::optional<IndexRunEntry>();
        FARDEL_TRY_ASSIGN(const auto page, run.read_page(at / kRunPageEntries));
        return std::optional(page[static_cast<std::size_t>(at % kRunPageEntries)]);
    }

    // Returns false if the pack is gone.
    bool renumber(IndexRunEntry& entry, std::size_t source) const {
        if (source == 0)
            return true;
        const std::vector<std::uint32_t>& numbers = renumbered_[source - 1];
        if (entry.pack >= numbers.size() || numbers[entry.pack] == UINT32_MAX)
            return false;
        entry.pack = numbers[entry.pack];
        return true;
    }

    std::vector<IndexRun>& runs_;
    const std::vector<IndexRunEntry>& added_;
    const std::vector<std::vector<std::uint32_t>> renumbered_;  // by run and pack; UINT32_MAX: the pack is gone
    std::vector<std::uint64_t> at_;                             // the next entry of each source
    std::optional<BlockKey> latest_;
};

bool is_damage(const Error& error) noexcept {
    return error.code() == ErrorCode::corrupt || error.code() == ErrorCode::malformed ||
           error.code() == ErrorCode::unsupported || error.code() == ErrorCode::limit;
}

// The bundles whose blocks it has are read again then.
void remove_run(const IndexRun& run) { static_cast<void>(remove_file(run.path(), run.path())); }

}  // namespace

// Sorted files that never change, and not a database: a game that fetches needs no SQLite, and a store on a network
// share no byte-range locks. Each file appears in one step, so any number of programs may write at once. All of it is a
// hint.
Result<BlockIndex> BlockIndex::open(const StoreFolder& folder) {
    BlockIndex index(folder);
    FARDEL_TRY_ASSIGN(const auto ids, folder.list_records());
    for (const BundleId& id : ids)
        if (const auto checksum = folder.find_record_checksum(id); checksum && *checksum)
            index.records_.push_back({.bundle = id, .checksum = **checksum});
    FARDEL_TRY_ASSIGN(const std::vector<IndexedRecord> covered, index.read_runs());
    std::vector<IndexedRecord> missing;
    std::ranges::set_difference(index.records_, covered, std::back_inserter(missing));
    index.add_layouts(missing);
    return index;
}

// Returns the records that some run covers, ascending.
Result<std::vector<IndexedRecord>> BlockIndex::read_runs() {
    std::vector<IndexedRecord> covered;
    const auto folder = open_folder(folder_.index_path(), folder_.index_path(), {.links = Links::refused});
    if (!folder)
        return covered;
    FARDEL_TRY_ASSIGN(const auto names, list_names(*folder, folder_.index_path()));
    for (const std::string& name : names) {
        if (!name.ends_with(kRunEnding))
            continue;
        const FilePath path = folder_.index_path() / name;
        auto run = IndexRun::open(path);
        if (run) {
            covered.insert(covered.end(), run->head().records.begin(), run->head().records.end());
            runs_.push_back(*std::move(run));
        } else if (is_damage(run.error())) {
            // What it knew is read from the layouts again.
            static_cast<void>(remove_file(path, path));
        }
    }
    std::ranges::sort(covered);
    return covered;
}

void BlockIndex::add_layouts(const std::vector<IndexedRecord>& records) {
    for (const IndexedRecord& indexed : records) {
        const auto record = folder_.find_record(indexed.bundle);
        if (!record || !*record || !add_layout(**record))
            continue;
        ++layouts_read_;
        added_head_.records.push_back(indexed);
        if (writes_ && added_.size() >= kAddedEntriesMax)
            write_added();
    }
    if (!added_head_.records.empty())
        write_added();
}

// Returns false if the layout cannot be read.
bool BlockIndex::add_layout(const StoreRecord& record) {
    auto source = open_record_source(folder_, record);
    const auto bundle = source ? Bundle::open(*std::move(source), {}) : std::move(source).error();
    if (!bundle)
        return false;
    const std::uint64_t blocks_offset = (*bundle)->layout_head().blocks_offset;
    const std::uint64_t count = (*bundle)->table_count(TableKind::blocks);
    PackNumbers packs(added_head_.packs);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto block = (*bundle)->block(i);
        if (!block)
            return false;
        const std::uint64_t offset = blocks_offset + block->stored_offset;
        if (const StoreExtent* const extent = record.find(offset, block->stored_bytes))
            added_.push_back({.key = block_key(block->stored_hash),
                              .stored_bytes = block->stored_bytes,
                              .pack = packs.number_of(record.packs[extent->pack]),
                              .pack_offset = extent->pack_offset + (offset - extent->file_offset)});
    }
    return true;
}

// Writes what was added as a run. If that is not possible, it stays in memory.
void BlockIndex::write_added() {
    std::ranges::stable_sort(added_, {}, &IndexRunEntry::key);
    added_.erase(std::unique(added_.begin(), added_.end(),
                             [](const IndexRunEntry& a, const IndexRunEntry& b) { return a.key == b.key; }),
                 added_.end());
    // Runs that are not much larger than what they are merged with go into it, so that sizes grow like powers of two;
    // and so do runs most of whose records are gone.
    std::ranges::sort(runs_, {}, [](const IndexRun& run) { return run.head().entries; });
    std::vector<IndexRun> kept;
    std::vector<IndexRun> absorbed;
    std::uint64_t entries = added_.size();
    for (IndexRun& run : runs_) {
        const auto gone = std::ranges::count_if(run.head().records, [&](const IndexedRecord& record) {
            return !std::ranges::binary_search(records_, record);
        });
        const bool is_stale = 2 * static_cast<std::uint64_t>(gone) >= run.head().records.size();
        if (is_stale || run.head().entries <= 2 * entries) {
            entries += run.head().entries;
            absorbed.push_back(std::move(run));
        } else {
            kept.push_back(std::move(run));
        }
    }
    Hash number;
    fill_random(std::as_writable_bytes(std::span(number.bytes)));
    const FilePath path = folder_.index_path() / (number.hex().substr(0, kRunDigits) + std::string(kRunEnding));
    Status written = write_added(path, absorbed);
    if (!written && is_damage(written.error())) {
        // What they have is read from the layouts the next time.
        for (const IndexRun& one : absorbed)
            remove_run(one);
        absorbed.clear();
        written = write_added(path, absorbed);
    }
    auto run = written ? IndexRun::open(path) : Result<IndexRun>(written.error());
    if (run) {
        for (const IndexRun& one : absorbed)
            remove_run(one);
        kept.push_back(*std::move(run));
        added_.clear();
        added_head_ = {};
    } else {
        // A store that can only be read, or a full disk: what was added stays in memory for this program.
        writes_ = false;
        std::ranges::move(absorbed, std::back_inserter(kept));
    }
    runs_ = std::move(kept);
}

Status BlockIndex::write_added(const FilePath& path, std::vector<IndexRun>& absorbed) {
    FARDEL_TRY(create_folders_below_root(folder_.index_path(), Lasting::no));
    FARDEL_TRY_ASSIGN(const auto packs_there, folder_.list_packs());
    // Only packs that still exist are taken over, or the index would name every pack that ever was.
    std::set<PackId> there;
    for (const StorePack& pack : packs_there)
        there.insert(pack.id);
    FARDEL_TRY_ASSIGN(const auto referred, folder_.list_references());
    for (const StorePack& pack : referred)
        there.insert(pack.id);
    IndexRunHead head = added_head_;
    PackNumbers numbers(head.packs);
    std::vector<std::vector<std::uint32_t>> renumbered;
    for (const IndexRun& run : absorbed) {
        std::vector<std::uint32_t>& own = renumbered.emplace_back();
        for (const StorePack& pack : run.head().packs)
            own.push_back(there.contains(pack.id) ? numbers.number_of(pack) : UINT32_MAX);
        std::ranges::copy_if(run.head().records, std::back_inserter(head.records),
                             [&](const IndexedRecord& record) { return std::ranges::binary_search(records_, record); });
    }
    std::ranges::sort(head.records);
    head.records.erase(std::unique(head.records.begin(), head.records.end()), head.records.end());
    MergedEntries entries(absorbed, added_, std::move(renumbered));
    return write_index_run(path, std::move(head), [&] { return entries.next(); });
}

std::vector<std::optional<StoredBlock>> BlockIndex::find_all(std::span<const Hash> stored_hashes) {
    std::vector<std::size_t> order(stored_hashes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return stored_hashes[i]; });
    std::vector<std::optional<StoredBlock>> found(stored_hashes.size());
    for (const std::size_t i : order)
        found[i] = find(stored_hashes[i]);
    return found;
}

std::optional<StoredBlock> BlockIndex::find(const Hash& stored_hash) {
    const BlockKey key = block_key(stored_hash);
    const auto added = std::ranges::lower_bound(added_, key, {}, &IndexRunEntry::key);
    if (added != added_.end() && added->key == key)
        return StoredBlock{.pack = added_head_.packs[added->pack],
                           .pack_offset = added->pack_offset,
                           .stored_bytes = added->stored_bytes};
    for (IndexRun& run : runs_) {
        const auto found = run.find(stored_hash);
        if (found && *found)
            return *found;
        if (!found && is_damage(found.error()))
            remove_run(run);
    }
    return std::nullopt;
}

}  // namespace fardel
