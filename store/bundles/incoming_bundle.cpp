#include <fardel/store/incoming_bundle.h>

#include "bundles/block_index.h"
#include "bundles/incoming_extras.h"
#include "bundles/incoming_log.h"
#include "bundles/live_source.h"
#include "bundles/record_source.h"
#include "bundles/retention_folder.h"
#include "bundles/store_folder.h"
#include "retention/store_lease.h"

#include <fardel/base/file.h>
#include <fardel/base/fits.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/source_pieces.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kRangeBytesMax = 16u << 20;
constexpr std::uint64_t kUnlocatedFilesMax = 2;  // what is kept without a location: at most this many times the file
constexpr PackId kIncomingPack{};                // until it has an id

Hash hash_of_key(std::string_view key) { return blake3(std::as_bytes(std::span(key))); }

}  // namespace

struct IncomingBundle::Impl {
    struct Range {
        std::uint64_t length_bytes = 0;
        PackId pack;
        std::uint64_t pack_offset = 0;
        std::uint64_t log_at = 0;  // of its entry; 0: it has none
    };
    struct OpenPack {
        std::uint64_t size_bytes = 0;
        std::shared_ptr<const ByteSource> source;
    };

    StoreFolder folder;
    StoreLease lease;
    BundleId bundle;
    std::string server;  // that set_source() named
    std::string pack_path;
    Descriptor pack;  // locked
    IncomingLog log;
    std::optional<IncomingExtras> extras;  // opened when they are first needed
    std::optional<std::uint64_t> file_bytes;
    std::uint64_t pack_bytes = 0;
    Hasher hasher;                          // of the incoming pack
    std::map<std::uint64_t, Range> ranges;  // by file offset
    std::map<PackId, OpenPack> packs;       // of the store
    std::set<PackId> damaged;               // which are not used
    std::unordered_map<Hash, Range> unlocated;
    std::uint64_t unlocated_bytes = 0;
    std::optional<BlockIndex> index;  // opened when it is first needed
    std::uint64_t held = 0;
    std::shared_ptr<LiveSource> live;             // nullptr: nobody asked for it
    std::shared_ptr<const ByteSource> live_pack;  // the incoming pack, however long it is
    bool sealed = false;  // an earlier attempt was killed in commit(): `ranges` has what it received, in a named pack

    // Takes over what the store has of the bundle.
    Status read_record(StoredPart stored_part, const std::stop_token& stop) {
        const auto record = folder.find_record(bundle);
        if (!record || !*record)
            return ok();  // a damaged one is replaced
        if (stored_part == StoredPart::proved)
            for (const StorePack& stored : (*record)->packs)
                FARDEL_TRY(prove_pack(stored, stop));
        for (const StoreExtent& extent : (*record)->extents) {
            const StorePack& stored = (*record)->packs[extent.pack];
            if (open_pack(stored))
                add(extent.file_offset, {extent.length_bytes, stored.id, extent.pack_offset});
        }
        if (!ranges.empty())
            file_bytes = (*record)->file_bytes;
        return ok();
    }

    // Error: cancelled.
    Status prove_pack(const StorePack& stored, const std::stop_token& stop) {
        Hasher proof;
        Status read = ok();
        if (const auto opened = folder.open_pack(stored))
            read = read_pieces(**opened, "bundle " + bundle.hex(), stop,
                               [&](std::uint64_t, std::span<const std::byte> piece) {
                                   proof.update(piece);
                                   return ok();
                               });
        if (!read && read.error().code() == ErrorCode::cancelled)
            return read;
        if (!read || proof.finish() != stored.id)
            // Never mended in place: readers have the pack open, and other bundles use it. What is right in it is
            // copied to a new one, and the bundle's record then names no damaged pack.
            damaged.insert(stored.id);
        return ok();
    }

    Status read_log() {
        FARDEL_TRY_ASSIGN(const auto head, log.read_head());
        const std::uint64_t size = head.value_or(0);
        // A log of a file of another size is about other bytes; nothing of it can be trusted.
        if (!head || (file_bytes && size != 0 && *file_bytes != size))
            return truncate(0, 0);
        if (size != 0)
            file_bytes = size;
        else if (file_bytes)
            FARDEL_TRY(log.write_head(*file_bytes));
        std::uint64_t log_at = kLogHeadBytes;
        FARDEL_TRY_ASSIGN(const auto named, find_named_pack());
        sealed = named.has_value();
        std::vector<std::byte> bytes;
        std::uint64_t at = 0;  // in the pack
        for (;;) {
            FARDEL_TRY_ASSIGN(const auto entry, log.read_entry(log_at));
            if (!entry || entry->length_bytes == 0 || entry->length_bytes > kRangeBytesMax)
                break;
            const bool is_located = entry->offset != kUnlocated;
            if (is_located &&
                (!fits(entry->offset, entry->length_bytes, size) || overlaps(entry->offset, entry->length_bytes)))
                break;
            bytes.resize(static_cast<std::size_t>(entry->length_bytes));
            FARDEL_TRY_ASSIGN(const bool is_there, read_received(named, at, bytes));
            // Log and pack are not synced while bytes come, so after a power failure either may have the later state.
            // What is proved counts, from the beginning to the first entry that is not.
            if (!is_there || blake3(bytes) != entry->hash)
                break;
            if (!named)
                hasher.update(bytes);
            const Range range{entry->length_bytes, named.value_or(kIncomingPack), at, log_at};
            if (is_located)
                add(entry->offset, range);
            else
                keep(entry->hash, range);
            at += entry->length_bytes;
            log_at += kLogEntryBytes;
        }
        log.continue_at(log_at);
        return named ? folder.make_read_only(*named) : truncate(at, log_at);
    }

    // Returns the pack that a sealed log names, if the incoming pack was renamed to it, and opens it.
    Result<std::optional<PackId>> find_named_pack() {
        FARDEL_TRY_ASSIGN(const FileStatus pack_status, file_status(pack, pack_path));
        if (pack_status.size_bytes != 0)
            return std::optional<PackId>();
        FARDEL_TRY_ASSIGN(const auto last, log.read_last());
        if (!last || last->length_bytes != 0 || !open_pack({.id = last->hash, .size_bytes = last->offset}))
            return std::optional<PackId>();
        return std::optional(last->hash);
    }

    // Returns false if the bytes are not there.
    Result<bool> read_received(const std::optional<PackId>& named, std::uint64_t at, std::span<std::byte> out) const {
        if (named)
            return static_cast<bool>(packs.at(*named).source->read_at(at, out));
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(pack, at, out, pack_path));
        return count == out.size();
    }

    // Prepares the log for further entries.
    Status open_log_for_entries() {
        if (!sealed && (log.size_bytes() != 0 || !file_bytes))
            return ok();
        sealed = false;  // its entries are those of another pack
        for (auto& [offset, range] : ranges)
            range.log_at = 0;
        FARDEL_TRY(log.truncate(0));
        return log.write_head(*file_bytes);
    }

    Status truncate(std::uint64_t new_pack_bytes, std::uint64_t new_log_bytes) {
        FARDEL_TRY(log.truncate(new_log_bytes));
        FARDEL_TRY(resize_file(pack, new_pack_bytes, pack_path));
        pack_bytes = new_pack_bytes;
        return ok();
    }

    bool overlaps(std::uint64_t offset, std::uint64_t length) const {
        const auto after = ranges.lower_bound(offset);
        if (after != ranges.end() && after->first < offset + length)
            return true;
        return after != ranges.begin() && std::prev(after)->first + std::prev(after)->second.length_bytes > offset;
    }
    void add(std::uint64_t offset, const Range& range) {
        ranges.emplace(offset, range);
        held += range.length_bytes;
        if (live)
            add_to_live(offset, range);
    }
    void add_to_live(std::uint64_t offset, const Range& range) const {
        live->add(offset, range.length_bytes, range.pack == kIncomingPack ? live_pack : packs.at(range.pack).source,
                  range.pack_offset);
    }

    void rebuild_live() const {
        if (!live)
            return;
        live->clear();
        for (const auto& [offset, range] : ranges)
            add_to_live(offset, range);
    }
    void drop_live() {
        if (live)
            live->clear();
        live.reset();  // the next one may have another size
    }

    // Returns the length of what is held, or of what is not, from `offset` on.
    struct Run {
        bool is_held = false;
        std::uint64_t length_bytes = 0;
    };
    Run run_at(std::uint64_t offset) const {
        const auto after = ranges.upper_bound(offset);
        if (after != ranges.begin()) {
            const auto& [start, range] = *std::prev(after);
            if (offset - start < range.length_bytes)
                return {true, start + range.length_bytes - offset};
        }
        return {false, after == ranges.end() ? UINT64_MAX : after->first - offset};
    }

    // Writes bytes of which none is held.
    Status append(std::uint64_t offset, std::span<const std::byte> bytes) {
        for (std::size_t at = 0; at < bytes.size(); at += kRangeBytesMax) {
            const auto part = bytes.subspan(at, std::min<std::size_t>(bytes.size() - at, kRangeBytesMax));
            // Bytes first, then the entry that says what they are: a kill in between leaves bytes that nobody knows.
            FARDEL_TRY(write_whole_at(pack, pack_bytes, part, pack_path));
            const std::uint64_t log_at = log.size_bytes();
            FARDEL_TRY(log.append({offset + at, part.size(), blake3(part)}));
            hasher.update(part);
            add(offset + at, {part.size(), kIncomingPack, pack_bytes, log_at});
            pack_bytes += part.size();
        }
        return ok();
    }

    void keep(const Hash& hash, const Range& range) {
        if (unlocated.emplace(hash, range).second)
            unlocated_bytes += range.length_bytes;
    }

    // Removes a range from those that are held; its entry in the log says so first.
    Status forget(std::map<std::uint64_t, Range>::iterator at) {
        const Range range = at->second;
        if (range.log_at != 0) {
            FARDEL_TRY_ASSIGN(const LogEntry entry, log.forget_location(range.log_at));
            keep(entry.hash, range);
        }
        held -= range.length_bytes;
        ranges.erase(at);
        return ok();
    }

    // Does so with a part of a range of which nothing is in the log.
    void cut(std::map<std::uint64_t, Range>::iterator at, std::uint64_t from, std::uint64_t to) {
        const auto [offset, range] = *at;
        const std::uint64_t end = offset + range.length_bytes;
        held -= range.length_bytes;
        ranges.erase(at);
        if (offset < from)
            add(offset, {from - offset, range.pack, range.pack_offset});
        if (to < end)
            add(to, {end - to, range.pack, range.pack_offset + (to - offset)});
    }

    // Returns the bytes of a range if they have the hash.
    bool is_right(const Range& range, const Hash& hash) const {
        std::vector<std::byte> bytes(static_cast<std::size_t>(range.length_bytes));
        const auto named = range.pack == kIncomingPack ? std::optional<PackId>() : std::optional(range.pack);
        const auto read = read_received(named, range.pack_offset, bytes);
        return read && *read && blake3(bytes) == hash;
    }

    // Returns whether the pack is there and open.
    bool open_pack(const StorePack& stored) {
        if (damaged.contains(stored.id))
            return false;
        if (packs.contains(stored.id))
            return true;
        if (packs.size() >= kSharedPacksMax || !lease.hold({.bundles = {}, .packs = {stored.id}}))
            return false;
        auto opened = folder.open_pack(stored);
        if (!opened)
            return false;
        packs.emplace(stored.id, OpenPack{.size_bytes = stored.size_bytes, .source = *std::move(opened)});
        return true;
    }

    std::string extras_path() const { return folder.incoming_path(bundle, "extras"); }
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
        FARDEL_TRY_ASSIGN(const bool is_there, has_name(pack, pack_path, pack_path));
        if (is_there)
            FARDEL_TRY(remove_file(pack_path, pack_path));
        return ok();
    }

    StoreRecord record_of(const LayoutId& layout, const StorePack& incoming) const {
        StoreRecordBuilder builder;
        for (const auto& [offset, range] : ranges)
            builder.add(offset, range.length_bytes,
                        range.pack == kIncomingPack ? incoming : StorePack{range.pack, packs.at(range.pack).size_bytes},
                        range.pack_offset);
        return std::move(builder).finish(bundle, layout, file_bytes.value_or(0));
    }
};

IncomingBundle::IncomingBundle(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
IncomingBundle::~IncomingBundle() {
    // If nothing was received, nothing stays. After a part of commit(), the names may be those of another process.
    if (impl_ && impl_->pack && impl_->pack_bytes == 0 && !impl_->sealed &&
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
    std::unique_ptr<Impl> impl(new Impl{.folder = std::move(folder), .lease = std::move(lease), .bundle = bundle});
    impl->pack_path = impl->folder.incoming_path(bundle, "pack");
    FARDEL_TRY_ASSIGN(impl->pack, impl->folder.lock_incoming(bundle));
    FARDEL_TRY_ASSIGN(impl->log, IncomingLog::open(impl->folder.incoming_path(bundle, "log")));
    FARDEL_TRY(impl->read_record(stored, stop));
    FARDEL_TRY(impl->read_log());
    return IncomingBundle(std::move(impl));
}

std::optional<std::uint64_t> IncomingBundle::file_bytes() const noexcept { return impl_->file_bytes; }

Status IncomingBundle::set_file_bytes(std::uint64_t file_bytes) {
    FARDEL_TRY(impl_->log.write_head(file_bytes));
    impl_->file_bytes = file_bytes;
    return ok();
}

void IncomingBundle::set_source(std::string source) { impl_->server = std::move(source); }

std::uint64_t IncomingBundle::held_bytes() const noexcept { return impl_->held; }

bool IncomingBundle::holds(std::uint64_t file_offset, std::uint64_t length_bytes) const {
    const std::uint64_t end = file_offset + length_bytes;
    while (file_offset < end) {
        const auto after = impl_->ranges.upper_bound(file_offset);
        if (after == impl_->ranges.begin())
            return false;
        const auto& [start, range] = *std::prev(after);
        if (start + range.length_bytes <= file_offset)
            return false;
        file_offset = start + range.length_bytes;
    }
    return true;
}

Status IncomingBundle::write(std::uint64_t file_offset, std::span<const std::byte> bytes) {
    FARDEL_TRY(impl_->open_log_for_entries());
    while (!bytes.empty()) {
        const Impl::Run run = impl_->run_at(file_offset);
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
    if (const auto kept = impl_->unlocated.find(stored_hash); kept != impl_->unlocated.end()) {
        Impl::Range range = kept->second;
        range.log_at = 0;
        if (range.length_bytes == stored_bytes && impl_->is_right(range, stored_hash)) {
            impl_->add(file_offset, range);
            return true;
        }
    }
    if (!impl_->index) {
        FARDEL_TRY_ASSIGN(impl_->index, BlockIndex::open(impl_->folder));
    }
    const auto stored = impl_->index->find(stored_hash);
    if (!stored || stored->stored_bytes != stored_bytes || stored_bytes > kRangeBytesMax ||
        !impl_->open_pack(stored->pack))
        return false;
    const Impl::Range range{stored_bytes, stored->pack.id, stored->pack_offset};
    if (!impl_->is_right(range, stored_hash))
        return false;
    impl_->add(file_offset, range);
    return true;
}

Status IncomingBundle::keep_extra(std::string_view key, std::span<const std::byte> bytes) {
    FARDEL_TRY(impl_->open_extras());
    return impl_->extras->keep(hash_of_key(key), bytes);
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
    impl_->ranges.clear();
    impl_->unlocated.clear();
    impl_->unlocated_bytes = 0;
    impl_->held = 0;
    impl_->hasher.reset();
    impl_->file_bytes.reset();
    impl_->sealed = false;
    impl_->drop_live();
    return impl_->truncate(0, 0);
}

Status IncomingBundle::forget(std::uint64_t file_offset, std::uint64_t length_bytes) {
    auto at = impl_->ranges.lower_bound(file_offset);
    if (at != impl_->ranges.begin() && std::prev(at)->first + std::prev(at)->second.length_bytes > file_offset)
        --at;
    while (at != impl_->ranges.end() && at->first < file_offset + length_bytes) {
        const auto next = std::next(at);
        if (at->second.log_at == 0)
            impl_->cut(at, file_offset, file_offset + length_bytes);
        else
            FARDEL_TRY(impl_->forget(at));
        at = next;
    }
    impl_->rebuild_live();
    return ok();
}

Status IncomingBundle::restart() {
    const std::uint64_t bytes_max = kUnlocatedFilesMax * impl_->file_bytes.value_or(0);
    while (!impl_->ranges.empty())
        FARDEL_TRY(impl_->forget(impl_->ranges.begin()));
    // A server that changes its layout again and again must not fill the disk with what cannot be used.
    if (impl_->unlocated_bytes > bytes_max)
        return discard();
    impl_->file_bytes.reset();
    impl_->drop_live();
    return impl_->log.size_bytes() == 0 ? ok() : impl_->log.write_head(0);
}

Result<std::shared_ptr<const ByteSource>> IncomingBundle::source() const {
    StoreRecord record = impl_->record_of({}, {kIncomingPack, impl_->pack_bytes});
    std::vector<std::shared_ptr<const ByteSource>> packs;
    for (const StorePack& pack : record.packs) {
        if (pack.id != kIncomingPack) {
            packs.push_back(impl_->packs.at(pack.id).source);
            continue;
        }
        FARDEL_TRY_ASSIGN(Descriptor file, impl_->pack.duplicate(impl_->pack_path));
        packs.push_back(make_file_source(std::move(file), impl_->pack_bytes, impl_->pack_path));
    }
    return make_record_source(std::move(record), std::move(packs));
}

Result<std::shared_ptr<const ByteSource>> IncomingBundle::live_source() {
    if (!impl_->live) {
        FARDEL_TRY_ASSIGN(Descriptor file, impl_->pack.duplicate(impl_->pack_path));
        impl_->live_pack = make_file_source(std::move(file), UINT64_MAX, impl_->pack_path);
        impl_->live = std::make_shared<LiveSource>("bundle " + impl_->bundle.hex(), impl_->file_bytes.value_or(0));
        impl_->rebuild_live();
    }
    return std::shared_ptr<const ByteSource>(impl_->live);
}

// What is read from a server while it is used stays here, too, as what a fetch has received: there is one form of a
// bundle on its way, and a mount goes on from a fetch and a fetch from a mount. A commit per session would write a pack
// each time, of which a record has at most 64.
Status IncomingBundle::commit(const LayoutId& layout) && {
    StorePack incoming{.id = impl_->hasher.finish(), .size_bytes = impl_->pack_bytes};
    if (impl_->pack_bytes != 0) {
        FARDEL_TRY(sync_file(impl_->pack, impl_->pack_path));
        // The log says under which name the pack goes on, so that a fetch that was killed after the renaming finds what
        // it received.
        FARDEL_TRY(impl_->log.append({impl_->pack_bytes, 0, incoming.id}));
        // Before the pack gets its name: no record names it yet, and a collection would take it for needless.
        FARDEL_TRY(impl_->lease.hold({.bundles = {}, .packs = {incoming.id}}));
        FARDEL_TRY(impl_->folder.name_pack(impl_->pack_path, incoming.id));
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
