#include <fardel/store/incoming_bundle.h>

#include "bundles/retention_folder.h"
#include "incoming/held_ranges.h"
#include "incoming/incoming_extras.h"
#include "incoming/incoming_log.h"
#include "incoming/incoming_pack.h"
#include "incoming/live_source.h"
#include "incoming/used_packs.h"
#include "index/block_index.h"
#include "packs/record_source.h"
#include "packs/store_folder.h"
#include "retention/store_lease.h"

#include <fardel/base/file.h>
#include <fardel/base/fits.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kRangeBytesMax = 16u << 20;
constexpr std::uint64_t kUnlocatedFilesMax = 2;  // what is kept without a location: at most this many times the file

Hash hash_of_key(std::string_view key) { return blake3(std::as_bytes(std::span(key))); }

}  // namespace

// What is read from a server while it is used stays here, too, as what a fetch has received: there is one form of a
// bundle on its way, and a mount goes on from a fetch and a fetch from a mount. A commit per session would write a pack
// each time, of which a record has at most 64.
struct IncomingBundle::Impl {
    struct LiveView {
        std::shared_ptr<LiveSource> source;
        std::shared_ptr<const ByteSource> pack;  // the incoming pack, however long it is
    };

    StoreFolder folder;
    StoreLease lease;
    BundleId bundle;
    IncomingPack pack;
    IncomingLog log;
    UsedPacks packs{folder, lease};
    std::string server;  // that set_source() named
    std::optional<std::uint64_t> file_bytes;
    HeldRanges ranges;
    KeptBlocks kept;
    bool is_sealed = false;  // the log is that of an attempt that was killed in commit(): its pack has its name already
    std::optional<IncomingExtras> extras;  // opened when they are first needed
    std::optional<BlockIndex> index;       // likewise
    std::optional<LiveView> live;          // nothing: nobody asked for it

    std::string label() const { return "bundle " + bundle.hex(); }

    // ---- What is held when the bundle is opened ---------------------------------------------------------------------

    // Takes over what the store has of the bundle. Error: cancelled.
    Status take_over_record(StoredPart stored_part, const std::stop_token& stop) {
        const auto record = folder.find_record(bundle);
        if (!record || !*record)
            return ok();  // a damaged one is replaced
        if (stored_part == StoredPart::proved)
            for (const StorePack& stored : (*record)->packs)
                FARDEL_TRY(packs.prove(stored, label(), stop));
        for (const StoreExtent& extent : (*record)->extents) {
            const StorePack& stored = (*record)->packs[extent.pack];
            if (packs.open(stored))
                add(extent.file_offset, {extent.length_bytes, stored.id, extent.pack_offset});
        }
        if (!ranges.by_offset().empty())
            file_bytes = (*record)->file_bytes;
        return ok();
    }

    // Takes over what an earlier attempt received, up to the first difference from its log.
    Status take_over_received() {
        FARDEL_TRY_ASSIGN(const auto log_file_bytes, agree_on_size());
        if (!log_file_bytes)
            return cut_files(0);
        FARDEL_TRY_ASSIGN(const auto named, find_named_pack());
        is_sealed = named.has_value();
        FARDEL_TRY_ASSIGN(const std::uint64_t log_end, take_over_entries(*log_file_bytes, named));
        log.continue_at(log_end);
        return named ? folder.make_read_only(*named) : cut_files(log_end);
    }

    // The record and the log may each know the size of the file. Returns what the log knows, 0 if that is nothing;
    // nothing if the log is none, or of a file of another size.
    Result<std::optional<std::uint64_t>> agree_on_size() {
        FARDEL_TRY_ASSIGN(const auto head, log.read_head());
        if (!head || (file_bytes && *head != 0 && *file_bytes != *head))
            return std::optional<std::uint64_t>();
        if (*head != 0)
            file_bytes = *head;
        else if (file_bytes)
            FARDEL_TRY(log.write_head(*file_bytes));
        return head;
    }

    // Returns the pack that a sealed log names, if the incoming pack was renamed to it, and opens it.
    Result<std::optional<PackId>> find_named_pack() {
        FARDEL_TRY_ASSIGN(const bool has_bytes, pack.has_bytes());
        if (has_bytes)
            return std::optional<PackId>();
        FARDEL_TRY_ASSIGN(const auto last, log.read_last());
        if (!last || last->length_bytes != 0 || !packs.open({.id = last->hash, .size_bytes = last->offset}))
            return std::optional<PackId>();
        return std::optional(last->hash);
    }

    // Returns the offset in the log behind the last entry that is right. `named`: the pack with the bytes of the
    // entries if it is no longer the incoming one.
    Result<std::uint64_t> take_over_entries(std::uint64_t log_file_bytes, const std::optional<PackId>& named) {
        std::vector<std::byte> bytes;
        std::uint64_t log_at = kLogHeadBytes;
        for (std::uint64_t pack_at = 0;; log_at += kLogEntryBytes) {
            FARDEL_TRY_ASSIGN(const auto entry, log.read_entry(log_at));
            if (!entry || entry->length_bytes == 0 || entry->length_bytes > kRangeBytesMax ||
                !has_room(*entry, log_file_bytes))
                return log_at;
            const HeldRange range{entry->length_bytes, named.value_or(kIncomingPack), pack_at, log_at};
            bytes.resize(static_cast<std::size_t>(entry->length_bytes));
            FARDEL_TRY_ASSIGN(const bool is_there, read_range(range, bytes));
            // Log and pack are not synced while bytes come, so after a power failure either may have the later state.
            // What is proved counts, from the beginning to the first entry that is not.
            if (!is_there || blake3(bytes) != entry->hash)
                return log_at;
            if (!named)
                pack.accept(bytes);
            if (entry->offset == kUnlocated)
                kept.add(entry->hash, range);
            else
                add(entry->offset, range);
            pack_at += entry->length_bytes;
        }
    }

    // Whether the entry belongs nowhere, or into the file where nothing is held yet.
    bool has_room(const LogEntry& entry, std::uint64_t log_file_bytes) const {
        return entry.offset == kUnlocated || (fits(entry.offset, entry.length_bytes, log_file_bytes) &&
                                              ranges.overlapping(entry.offset, entry.length_bytes).empty());
    }

    Status cut_files(std::uint64_t log_end) {
        FARDEL_TRY(log.truncate(log_end));
        return pack.cut_rest();
    }

    // ---- Ranges -----------------------------------------------------------------------------------------------------

    void add(std::uint64_t offset, const HeldRange& range) {
        ranges.add(offset, range);
        if (live)
            show(offset, range);
    }

    // Returns false if the bytes are not there.
    Result<bool> read_range(const HeldRange& range, std::span<std::byte> out) const {
        if (range.pack == kIncomingPack)
            return pack.read_at(range.pack_offset, out);
        return static_cast<bool>(packs.source(range.pack)->read_at(range.pack_offset, out));
    }

    bool has_hash(const HeldRange& range, const Hash& hash) const {
        std::vector<std::byte> bytes(static_cast<std::size_t>(range.length_bytes));
        const auto read = read_range(range, bytes);
        return read && *read && blake3(bytes) == hash;
    }

    // Prepares the log for further entries.
    Status open_log_for_entries() {
        if (!is_sealed && (log.size_bytes() != 0 || !file_bytes))
            return ok();
        is_sealed = false;  // its entries are those of another pack
        ranges.forget_log_entries();
        FARDEL_TRY(log.truncate(0));
        return log.write_head(*file_bytes);
    }

    // Writes bytes of which none is held.
    Status append(std::uint64_t offset, std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const auto part = bytes.first(std::min<std::size_t>(bytes.size(), kRangeBytesMax));
            const HeldRange range{part.size(), kIncomingPack, pack.size_bytes(), log.size_bytes()};
            FARDEL_TRY(pack.write_next(part));
            FARDEL_TRY(log.append({offset, part.size(), blake3(part)}));
            pack.accept(part);
            add(offset, range);
            offset += part.size();
            bytes = bytes.subspan(part.size());
        }
        return ok();
    }

    // Removes from those that are held what overlaps this range, and keeps it without a location.
    Status forget(std::uint64_t offset, std::uint64_t length_bytes) {
        for (const auto& [start, range] : ranges.overlapping(offset, length_bytes)) {
            if (range.log_at == 0) {
                ranges.cut(start, offset, offset + length_bytes);
                continue;
            }
            FARDEL_TRY_ASSIGN(const LogEntry entry, log.forget_location(range.log_at));  // first: it may fail
            kept.add(entry.hash, range);
            ranges.remove(start);
        }
        return ok();
    }

    // ---- Live view --------------------------------------------------------------------------------------------------

    void show(std::uint64_t offset, const HeldRange& range) const {
        live->source->add(offset, range.length_bytes,
                          range.pack == kIncomingPack ? live->pack : packs.source(range.pack), range.pack_offset);
    }

    void show_all() const {
        if (!live)
            return;
        live->source->clear();
        for (const auto& [offset, range] : ranges.by_offset())
            show(offset, range);
    }

    void end_live() {
        if (live)
            live->source->clear();
        live.reset();  // the next one may have another size
    }

    // ---- Files ------------------------------------------------------------------------------------------------------

    FilePath extras_path() const { return folder.incoming_path(bundle, "extras"); }
    Status open_extras() {
        if (!extras) {
            FARDEL_TRY_ASSIGN(extras, IncomingExtras::open(extras_path()));
        }
        return ok();
    }

    Status remove_extras() {
        extras.reset();
        FARDEL_TRY(remove_file(extras_path(), extras_path()));
        return ok();
    }

    // While the lock is held.
    Status remove_files() {
        FARDEL_TRY(log.remove());
        FARDEL_TRY(remove_extras());
        return pack.remove();
    }

    // `incoming`: what the incoming pack is in the record.
    StoreRecord record_of(const LayoutId& layout, const StorePack& incoming) const {
        StoreRecordBuilder builder;
        for (const auto& [offset, range] : ranges.by_offset())
            builder.add(offset, range.length_bytes, range.pack == kIncomingPack ? incoming : packs.pack(range.pack),
                        range.pack_offset);
        return std::move(builder).finish(bundle, layout, file_bytes.value_or(0));
    }
};

IncomingBundle::IncomingBundle(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
IncomingBundle::~IncomingBundle() {
    // If nothing was received, nothing stays. After a part of commit(), the names may be those of another process.
    if (impl_ && impl_->pack.is_open() && impl_->pack.size_bytes() == 0 && !impl_->is_sealed &&
        !(impl_->extras && impl_->extras->has_any()))
        static_cast<void>(impl_->remove_files());
}
IncomingBundle::IncomingBundle(IncomingBundle&&) noexcept = default;

Result<IncomingBundle> IncomingBundle::open(const BundleStore& store, const BundleId& bundle, StoredPart stored,
                                            const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(StoreFolder folder, StoreFolder::open(store.path(), false));
    FARDEL_TRY(folder.create_parts());
    FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(folder)));
    FARDEL_TRY(lease.hold({.bundles = {bundle}, .packs = {}}));
    FARDEL_TRY_ASSIGN(IncomingPack pack, IncomingPack::open(folder, bundle));
    FARDEL_TRY_ASSIGN(IncomingLog log, IncomingLog::open(folder.incoming_path(bundle, "log")));
    std::unique_ptr<Impl> impl(new Impl{.folder = std::move(folder),
                                        .lease = std::move(lease),
                                        .bundle = bundle,
                                        .pack = std::move(pack),
                                        .log = std::move(log)});
    FARDEL_TRY(impl->take_over_record(stored, stop));
    FARDEL_TRY(impl->take_over_received());
    return IncomingBundle(std::move(impl));
}

std::optional<std::uint64_t> IncomingBundle::file_bytes() const noexcept { return impl_->file_bytes; }

Status IncomingBundle::set_file_bytes(std::uint64_t file_bytes) {
    FARDEL_TRY(impl_->log.write_head(file_bytes));
    impl_->file_bytes = file_bytes;
    return ok();
}

void IncomingBundle::set_source(std::string source) { impl_->server = std::move(source); }

std::uint64_t IncomingBundle::held_bytes() const noexcept { return impl_->ranges.held_bytes(); }

bool IncomingBundle::holds(std::uint64_t file_offset, std::uint64_t length_bytes) const {
    return impl_->ranges.holds(file_offset, length_bytes);
}

Status IncomingBundle::write(std::uint64_t file_offset, std::span<const std::byte> bytes) {
    FARDEL_TRY(impl_->open_log_for_entries());
    while (!bytes.empty()) {
        const HeldRanges::Run run = impl_->ranges.run_at(file_offset);
        const auto part =
            bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(run.length_bytes, bytes.size())));
        if (!run.is_held)
            FARDEL_TRY(impl_->append(file_offset, part));
        bytes = bytes.subspan(part.size());
        file_offset += part.size();
    }
    return ok();
}

Result<bool> IncomingBundle::share(std::uint64_t file_offset, const Hash& stored_hash, std::uint32_t stored_bytes) {
    const HeldRange* const kept = impl_->kept.find(stored_hash);
    if (kept != nullptr && kept->length_bytes == stored_bytes && impl_->has_hash(*kept, stored_hash)) {
        impl_->add(file_offset, {kept->length_bytes, kept->pack, kept->pack_offset});
        return true;
    }
    if (!impl_->index) {
        FARDEL_TRY_ASSIGN(impl_->index, BlockIndex::open(impl_->folder));
    }
    const auto stored = impl_->index->find(stored_hash);
    if (!stored || stored->stored_bytes != stored_bytes || stored_bytes > kRangeBytesMax ||
        !impl_->packs.open(stored->pack))
        return false;
    const HeldRange range{stored_bytes, stored->pack.id, stored->pack_offset};
    if (!impl_->has_hash(range, stored_hash))
        return false;
    impl_->add(file_offset, range);
    return true;
}

Status IncomingBundle::keep_extra(std::string_view key, std::span<const std::byte> bytes) {
    FARDEL_TRY(impl_->open_extras());
    return impl_->extras->add(hash_of_key(key), bytes);
}

Result<bool> IncomingBundle::has_extra(std::string_view key) {
    FARDEL_TRY(impl_->open_extras());
    return impl_->extras->has(hash_of_key(key));
}

Result<std::optional<std::vector<std::byte>>> IncomingBundle::read_extra(std::string_view key) {
    FARDEL_TRY(impl_->open_extras());
    return impl_->extras->read(hash_of_key(key));
}

Status IncomingBundle::discard() {
    FARDEL_TRY(impl_->remove_extras());
    impl_->end_live();
    impl_->ranges.clear();
    impl_->kept = {};
    impl_->file_bytes.reset();
    impl_->is_sealed = false;
    FARDEL_TRY(impl_->log.truncate(0));
    return impl_->pack.clear();
}

Status IncomingBundle::forget(std::uint64_t file_offset, std::uint64_t length_bytes) {
    FARDEL_TRY(impl_->forget(file_offset, length_bytes));
    impl_->show_all();
    return ok();
}

Status IncomingBundle::restart() {
    const std::uint64_t bytes_max = kUnlocatedFilesMax * impl_->file_bytes.value_or(0);
    FARDEL_TRY(impl_->forget(0, UINT64_MAX));
    if (impl_->kept.size_bytes() > bytes_max)
        return discard();
    impl_->file_bytes.reset();
    impl_->end_live();
    return impl_->log.size_bytes() == 0 ? ok() : impl_->log.write_head(0);
}

Result<std::shared_ptr<const ByteSource>> IncomingBundle::source() const {
    StoreRecord record = impl_->record_of({}, {kIncomingPack, impl_->pack.size_bytes()});
    std::vector<std::shared_ptr<const ByteSource>> packs;
    for (const StorePack& pack : record.packs) {
        if (pack.id != kIncomingPack) {
            packs.push_back(impl_->packs.source(pack.id));
            continue;
        }
        FARDEL_TRY_ASSIGN(auto incoming, impl_->pack.open_source(pack.size_bytes));
        packs.push_back(std::move(incoming));
    }
    return make_record_source(std::move(record), std::move(packs));
}

Result<std::shared_ptr<const ByteSource>> IncomingBundle::live_source() {
    if (!impl_->live) {
        FARDEL_TRY_ASSIGN(auto pack, impl_->pack.open_source(UINT64_MAX));
        impl_->live =
            Impl::LiveView{.source = std::make_shared<LiveSource>(impl_->label(), impl_->file_bytes.value_or(0)),
                           .pack = std::move(pack)};
        impl_->show_all();
    }
    return std::shared_ptr<const ByteSource>(impl_->live->source);
}

Status IncomingBundle::commit(const LayoutId& layout) && {
    const StorePack incoming = impl_->pack.pack();
    if (incoming.size_bytes != 0) {
        FARDEL_TRY(impl_->pack.sync());
        // The log says under which name the pack goes on, so that a fetch that was killed after the renaming finds what
        // it received.
        FARDEL_TRY(impl_->log.append({incoming.size_bytes, 0, incoming.id}));
        // Before the pack gets its name: no record names it yet, and a collection would take it for needless.
        FARDEL_TRY(impl_->lease.hold({.bundles = {}, .packs = {incoming.id}}));
        FARDEL_TRY(impl_->pack.name(impl_->folder, incoming.id));
    }
    if (!impl_->server.empty())
        FARDEL_TRY(RetentionFolder(impl_->folder).write_source(impl_->bundle, impl_->server));
    FARDEL_TRY(publish_record(impl_->folder, impl_->lease, impl_->record_of(layout, incoming)));
    // The bundle is there. What cannot be removed now, the next addition or fetch removes.
    static_cast<void>(impl_->remove_files());
    impl_->pack.close();
    return ok();
}

}  // namespace fardel
