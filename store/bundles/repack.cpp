#include "bundles/repack.h"

#include "bundles/retention_folder.h"
#include "packs/pack_copy.h"
#include "packs/store_record.h"
#include "retention/store_lease.h"

#include <fardel/base/free_space.h>
#include <fardel/format/hash.h>
#include <fardel/format/source_pieces.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace fardel {
namespace {

// ---- The facts ------------------------------------------------------------------------------------------------------

struct PackRange {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
};

// Ranges of a pack that some record names: ascending, and apart from each other.
class NamedRanges {
public:
    void add(std::vector<PackRange> added) {
        std::ranges::sort(added, {}, &PackRange::offset);
        std::vector<PackRange> merged;
        std::ranges::merge(ranges_, added, std::back_inserter(merged), {}, &PackRange::offset, &PackRange::offset);
        ranges_.clear();
        for (const PackRange& range : merged)
            if (!ranges_.empty() && range.offset <= ranges_.back().end)
                ranges_.back().end = std::max(ranges_.back().end, range.end);
            else
                ranges_.push_back(range);
    }
    std::uint64_t bytes() const {
        std::uint64_t sum = 0;
        for (const PackRange& range : ranges_)
            sum += range.end - range.offset;
        return sum;
    }

private:
    std::vector<PackRange> ranges_;
};

std::vector<PackId> ids_of_packs(const StoreRecord& record) {
    std::vector<PackId> ids;
    for (const StorePack& pack : record.packs)
        ids.push_back(pack.id);
    return ids;
}

void add_ranges(const StoreRecord& record, std::map<PackId, NamedRanges>& named) {
    std::vector<std::vector<PackRange>> of_pack(record.packs.size());
    for (const StoreExtent& extent : record.extents)
        of_pack[extent.pack].push_back({extent.pack_offset, extent.pack_offset + extent.length_bytes});
    for (std::size_t i = 0; i < of_pack.size(); ++i)
        named[record.packs[i].id].add(std::move(of_pack[i]));
}

// ---- One group ------------------------------------------------------------------------------------------------------

class GroupRewriter {
public:
    GroupRewriter(const StoreFolder& folder, StoreLease& lease, const RepackGroup& group)
        : folder_(folder), lease_(lease), group_(group) {}

    // Returns how many bytes the new pack has; otherwise why there is none.
    struct Outcome {
        std::uint64_t written_bytes = 0;
        std::string note;
    };
    Result<Outcome> run() {
        // A lease or a reader of a bundle counts for the packs that its record names. All bundles that share a pack are
        // replaced together, because the old pack would stay for one that is left.
        FARDEL_TRY_ASSIGN(const bool free, lease_.are_free(group_.bundles));
        if (!free)
            return left("a bundle is open, or a program adds or fetches it");
        if (const Status space = verify_free_space(folder_.path(), group_.named_bytes, folder_.path()); !space)
            return left(space.error().text());
        if (auto damage = find_damaged_pack())
            return left("pack " + damage->hex() + " is damaged; 'fardel store fsck' names its bundles");
        FARDEL_TRY_ASSIGN(PackWriter pack, PackWriter::open(folder_));
        PackCopy copy(folder_, group_.packs, pack);
        for (const BundleId& bundle : group_.bundles) {
            FARDEL_TRY_ASSIGN(auto record, folder_.find_record(bundle));
            if (!record)
                return left("bundle " + bundle.hex() + " was removed meanwhile");
            FARDEL_TRY_ASSIGN(StoreRecord moved, copy.add(*record));
            before_.emplace(bundle, *std::move(record));
            after_.emplace(bundle, std::move(moved));
        }
        const std::uint64_t written = pack.size_bytes();
        if (written == 0)
            return left("the bundles were changed meanwhile");
        FARDEL_TRY_ASSIGN(const StorePack sealed, std::move(pack).seal(lease_));
        for (auto& [bundle, record] : after_)
            PackCopy::name_new_pack(record, sealed);
        if (std::ranges::any_of(
                after_, [](const auto& one) { return encoded_record_bytes(one.second) > kStoreRecordBytesMax; }))
            return left("the bundles would lie in too many pieces");
        FARDEL_TRY_ASSIGN(const std::size_t replaced, replace(sealed));
        if (replaced != group_.bundles.size())
            return left("a bundle was opened or changed meanwhile");
        return Outcome{.written_bytes = written, .note = {}};
    }

private:
    static Outcome left(const std::string& why) {
        return {.written_bytes = 0, .note = "not everything that is sparse was packed again: " + why};
    }

    // What is copied gets a new name, so a pack must have the bytes of its own.
    std::optional<PackId> find_damaged_pack() const {
        for (const PackId& id : group_.packs) {
            Hasher hasher;
            const auto source = open_listed_pack(folder_, id);
            if (!source ||
                !read_pieces(**source, id.hex(), {},
                             [&](std::uint64_t, std::span<const std::byte> piece) {
                                 hasher.update(piece);
                                 return ok();
                             }) ||
                hasher.finish() != id)
                return id;
        }
        return std::nullopt;
    }

    Result<std::size_t> replace(const StorePack& sealed) {
        return lease_.replace(
            group_.bundles, sealed.id,
            [&](const BundleId& bundle) -> Result<bool> {
                FARDEL_TRY_ASSIGN(const auto now, folder_.find_record(bundle));
                // What was copied is what the record named when it was read.
                return now == before_.at(bundle);
            },
            [&](const BundleId& bundle) { return folder_.rewrite_record(after_.at(bundle)); });
    }

    const StoreFolder& folder_;
    StoreLease& lease_;
    const RepackGroup& group_;
    std::map<BundleId, StoreRecord> before_;
    std::map<BundleId, StoreRecord> after_;
};

}  // namespace

Result<std::vector<RepackGroup>> find_repack_groups(const StoreFolder& folder, const RepackFacts& facts) {
    std::map<PackId, std::uint64_t> on_disk;
    FARDEL_TRY_ASSIGN(const auto packs, folder.list_packs());
    for (const StorePack& pack : packs)
        on_disk.emplace(pack.id, pack.size_bytes);
    std::map<PackId, NamedRanges> named;
    std::vector<RepackBundle> bundles;
    FARDEL_TRY_ASSIGN(const auto ids, folder.list_records());
    for (const BundleId& id : ids) {
        const auto record = folder.find_record(id);
        if (!record)
            // A record that cannot be read may name any pack, so none is written again.
            return std::vector<RepackGroup>();
        if (!*record || facts.gone.contains(id))
            continue;
        for (const StorePack& pack : (*record)->packs)
            if (const auto found = on_disk.find(pack.id); found != on_disk.end() && found->second != pack.size_bytes)
                on_disk.erase(found);  // damaged
        add_ranges(**record, named);
        const auto used = facts.used.find(id);
        bundles.push_back({.bundle = id,
                           .packs = ids_of_packs(**record),
                           .used = used == facts.used.end() ? UnixTime{} : used->second,
                           .is_leaving = facts.leaving.contains(id)});
    }
    std::vector<RepackPack> candidates;
    for (const auto& [id, ranges] : named)
        if (const auto found = on_disk.find(id); found != on_disk.end())
            candidates.push_back({.id = id, .size_bytes = found->second, .named_bytes = ranges.bytes()});
    return plan_repack(candidates, bundles, facts.percent);
}

Result<RepackReport> repack(const StoreFolder& folder, const std::vector<RepackGroup>& groups) {
    RepackReport report;
    for (const RepackGroup& group : groups) {
        FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(folder)));
        FARDEL_TRY_ASSIGN(auto outcome, GroupRewriter(folder, lease, group).run());
        if (!outcome.note.empty()) {
            report.notes.push_back(std::move(outcome.note));
            continue;
        }
        report.packs += group.packs.size();
        report.pack_bytes += group.pack_bytes;
        report.written_bytes += outcome.written_bytes;
    }
    return report;
}

}  // namespace fardel
