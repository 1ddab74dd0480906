#include <fardel/store/incoming_bundle.h>

#include "bundles/block_index.h"
#include "bundles/record_source.h"
#include "bundles/retention_folder.h"
#include "bundles/store_folder.h"
#include "retention/store_lease.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/fits.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>
#include <fardel/format/source_pieces.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// The log: a head with the size of the bundle file, then one entry for each range, in the order of the bytes in the
// incoming pack: offset, length, hash. Before the incoming pack gets its name as a pack, the log is sealed: its last
// entry then has the length 0, and the number of bytes and the id of the pack. A size of 0 in the head is not known
// yet.
constexpr std::string_view kLogMagic = "FARDELIN";
constexpr std::uint64_t kLogVersion = 1;
constexpr std::size_t kLogHeadBytes = 8 + 8 + 8;
constexpr std::size_t kLogEntryBytes = 8 + 8 + 32;
constexpr std::uint64_t kRangeBytesMax = 16u << 20;
constexpr std::uint64_t kUnlocatedFilesMax = 2;   // what is kept without a location: at most this many times the file
constexpr PackId kIncomingPack{};                 // until it has an id
constexpr std::uint64_t kUnlocated = UINT64_MAX;  // in an entry: whose bytes are kept, but belong nowhere yet

struct LogEntry {
    std::uint64_t offset = 0;  // in the bundle file
    std::uint64_t length_bytes = 0;
    Hash hash;
};

std::vector<std::byte> encode_entry(const LogEntry& entry) {
    ByteWriter writer;
    writer.u64(entry.offset);
    writer.u64(entry.length_bytes);
    writer.fixed(entry.hash);
    return writer.take();
}

// What is held of a bundle on its way, for readers beside the thread that writes.
class LiveSource final : public ByteSource {
public:
    LiveSource(std::string subject, std::uint64_t file_bytes) : subject_(std::move(subject)), file_bytes_(file_bytes) {}

    void add(std::uint64_t offset, std::uint64_t length_bytes, std::shared_ptr<const ByteSource> pack,
             std::uint64_t pack_offset) {
        const std::unique_lock lock(mutex_);
        if (const auto after = parts_.lower_bound(offset); after != parts_.begin()) {
            Part& before = std::prev(after)->second;
            if (std::prev(after)->first + before.length_bytes == offset && before.pack == pack &&
                before.pack_offset + before.length_bytes == pack_offset) {
                before.length_bytes += length_bytes;
                return;
            }
        }
        parts_.emplace(offset, Part{length_bytes, std::move(pack), pack_offset});
    }
    void clear() {
        const std::unique_lock lock(mutex_);
        parts_.clear();
    }

    std::uint64_t size_bytes() const noexcept override { return file_bytes_; }

    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        while (!out.empty()) {
            const auto part = find(offset);
            if (!part)
                return Error(ErrorCode::missing,
                             subject_ + ": the bytes at offset " + std::to_string(offset) + " are not here");
            const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part->length_bytes, out.size()));
            FARDEL_TRY(part->pack->read_at(part->pack_offset, out.first(count)));
            out = out.subspan(count);
            offset += count;
        }
        return ok();
    }

    bool holds(std::uint64_t offset, std::uint64_t length) const override {
        if (!fits(offset, length, file_bytes_))
            return false;
        for (const std::uint64_t end = offset + length; offset < end;) {
            const auto part = find(offset);
            if (!part)
                return false;
            offset += part->length_bytes;
        }
        return true;
    }

private:
    struct Part {
        std::uint64_t length_bytes = 0;
        std::shared_ptr<const ByteSource> pack;
        std::uint64_t pack_offset = 0;
    };
    // Returns the part from `offset` on.
    std::optional<Part> find(std::uint64_t offset) const {
        const std::shared_lock lock(mutex_);
        const auto after = parts_.upper_bound(offset);
        if (after == parts_.begin())
            return std::nullopt;
        const auto& [start, part] = *std::prev(after);
        const std::uint64_t skipped = offset - start;
        if (skipped >= part.length_bytes)
            return std::nullopt;
        return Part{part.length_bytes - skipped, part.pack, part.pack_offset + skipped};
    }

    const std::string subject_;
    const std::uint64_t file_bytes_;
    mutable std::shared_mutex mutex_;
    std::map<std::uint64_t, Part> parts_;  // by file offset
};

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
    std::string source;  // that set_source() named
    std::string pack_path;
    std::string log_path;
    Descriptor pack;  // locked
    Descriptor log;
    std::optional<std::uint64_t> file_bytes;
    std::uint64_t pack_bytes = 0;
    std::uint64_t log_bytes = 0;
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
        if (const auto source = folder.open_pack(stored))
            read = read_pieces(**source, "bundle " + bundle.hex(), stop,
                               [&](std::uint64_t, std::span<const std::byte> piece) {
                                   proof.update(piece);
                                   return ok();
                               });
        if (!read && read.error().code() == ErrorCode::cancelled)
            return read;
        if (!read || proof.finish() != stored.id)
            damaged.insert(stored.id);
        return ok();
    }

    Status read_log() {
        std::vector<std::byte> head(kLogHeadBytes);
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(log, 0, head, log_path));
        head.resize(count);
        ByteReader reader(head, "log");
        const bool is_log = reader.text(kLogMagic.size()) == kLogMagic && reader.u64() == kLogVersion;
        const std::uint64_t size = reader.u64();
        if (!is_log || reader.failed() || (file_bytes && size != 0 && *file_bytes != size))
            return truncate(0, 0);
        if (size != 0)
            file_bytes = size;
        else if (file_bytes)
            FARDEL_TRY(write_log_head(*file_bytes));
        log_bytes = kLogHeadBytes;
        FARDEL_TRY_ASSIGN(const auto named, find_named_pack());
        sealed = named.has_value();
        std::vector<std::byte> bytes;
        std::uint64_t at = 0;  // in the pack
        for (;;) {
            FARDEL_TRY_ASSIGN(const auto entry, read_entry(log_bytes));
            if (!entry || entry->length_bytes == 0 || entry->length_bytes > kRangeBytesMax)
                break;
            const bool is_located = entry->offset != kUnlocated;
            if (is_located &&
                (!fits(entry->offset, entry->length_bytes, size) || overlaps(entry->offset, entry->length_bytes)))
                break;
            bytes.resize(static_cast<std::size_t>(entry->length_bytes));
            FARDEL_TRY_ASSIGN(const bool is_there, read_received(named, at, bytes));
            if (!is_there || blake3(bytes) != entry->hash)
                break;
            if (!named)
                hasher.update(bytes);
            const Range range{entry->length_bytes, named.value_or(kIncomingPack), at, log_bytes};
            if (is_located)
                add(entry->offset, range);
            else
                keep(entry->hash, range);
            at += entry->length_bytes;
            log_bytes += kLogEntryBytes;
        }
        return named ? folder.make_read_only(*named) : truncate(at, log_bytes);
    }

    // Returns nothing at the end of the log.
    Result<std::optional<LogEntry>> read_entry(std::uint64_t at) const {
        std::vector<std::byte> entry(kLogEntryBytes);
        FARDEL_TRY_ASSIGN(const std::size_t entry_bytes, read_whole_at(log, at, entry, log_path));
        const std::span<const std::byte> found = std::span<const std::byte>(entry).first(entry_bytes);
        ByteReader fields(found, "log entry");
        LogEntry read;
        read.offset = fields.u64();
        read.length_bytes = fields.u64();
        read.hash = fields.fixed<Hash>();
        return fields.failed() ? std::nullopt : std::optional(read);
    }

    // Returns the pack that a sealed log names, if the incoming pack was renamed to it, and opens it.
    Result<std::optional<PackId>> find_named_pack() {
        FARDEL_TRY_ASSIGN(const FileStatus log_status, file_status(log, log_path));
        FARDEL_TRY_ASSIGN(const FileStatus pack_status, file_status(pack, pack_path));
        const std::uint64_t entries = (log_status.size_bytes - kLogHeadBytes) / kLogEntryBytes;
        if (entries == 0 || pack_status.size_bytes != 0)
            return std::optional<PackId>();
        FARDEL_TRY_ASSIGN(const auto last, read_entry(kLogHeadBytes + (entries - 1) * kLogEntryBytes));
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
        if (!sealed && (log_bytes != 0 || !file_bytes))
            return ok();
        sealed = false;  // its entries are those of another pack
        for (auto& [offset, range] : ranges)
            range.log_at = 0;
        FARDEL_TRY(resize_file(log, 0, log_path));
        log_bytes = 0;
        return write_log_head(*file_bytes);
    }

    Status write_log_head(std::uint64_t size) {
        ByteWriter writer;
        writer.text(kLogMagic);
        writer.u64(kLogVersion);
        writer.u64(size);
        FARDEL_TRY(write_whole_at(log, 0, writer.bytes(), log_path));
        log_bytes = std::max<std::uint64_t>(log_bytes, kLogHeadBytes);
        return ok();
    }

    Status truncate(std::uint64_t new_pack_bytes, std::uint64_t new_log_bytes) {
        FARDEL_TRY(resize_file(log, new_log_bytes, log_path));
        FARDEL_TRY(resize_file(pack, new_pack_bytes, pack_path));
        pack_bytes = new_pack_bytes;
        log_bytes = new_log_bytes;
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
            FARDEL_TRY(write_whole_at(pack, pack_bytes, part, pack_path));
            const auto entry = encode_entry({offset + at, part.size(), blake3(part)});
            FARDEL_TRY(write_whole_at(log, log_bytes, entry, log_path));
            hasher.update(part);
            add(offset + at, {part.size(), kIncomingPack, pack_bytes, log_bytes});
            pack_bytes += part.size();
            log_bytes += kLogEntryBytes;
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
            FARDEL_TRY_ASSIGN(auto entry, read_entry(range.log_at));
            if (!entry)
                return Error(ErrorCode::io, log_path + ": became shorter");
            entry->offset = kUnlocated;
            FARDEL_TRY(write_whole_at(log, range.log_at, encode_entry(*entry), log_path));
            keep(entry->hash, range);
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
        auto source = folder.open_pack(stored);
        if (!source)
            return false;
        packs.emplace(stored.id, OpenPack{.size_bytes = stored.size_bytes, .source = *std::move(source)});
        return true;
    }

    // While the lock is held.
    Status remove_files() const {
        FARDEL_TRY(remove_file(log_path, log_path));
        FARDEL_TRY_ASSIGN(const auto named, find_file_status(pack_path, pack_path, Links::refused));
        FARDEL_TRY_ASSIGN(const FileStatus opened, file_status(pack, pack_path));
        if (named && named->same_file_as(opened))
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
    if (impl_ && impl_->pack && impl_->pack_bytes == 0 && !impl_->sealed)
        static_cast<void>(impl_->remove_files());
}
IncomingBundle::IncomingBundle(IncomingBundle&&) noexcept = default;

Result<IncomingBundle> IncomingBundle::open(const BundleStore& store, const BundleId& bundle, StoredPart stored,
                                            const std::stop_token& stop) {
    FARDEL_TRY_ASSIGN(StoreFolder folder, StoreFolder::open(store.path(), true));
    FARDEL_TRY_ASSIGN(StoreLease lease, StoreLease::open(std::make_shared<RetentionFolder>(folder)));
    FARDEL_TRY(lease.hold({.bundles = {bundle}, .packs = {}}));
    std::unique_ptr<Impl> impl(new Impl{.folder = std::move(folder), .lease = std::move(lease), .bundle = bundle});
    impl->pack_path = impl->folder.incoming_path(bundle, "pack");
    impl->log_path = impl->folder.incoming_path(bundle, "log");
    FARDEL_TRY_ASSIGN(impl->pack, impl->folder.lock_incoming(bundle));
    FARDEL_TRY_ASSIGN(impl->log, open_or_create_file(impl->log_path));
    FARDEL_TRY(impl->read_record(stored, stop));
    FARDEL_TRY(impl->read_log());
    return IncomingBundle(std::move(impl));
}

std::optional<std::uint64_t> IncomingBundle::file_bytes() const noexcept { return impl_->file_bytes; }

Status IncomingBundle::set_file_bytes(std::uint64_t file_bytes) {
    FARDEL_TRY(impl_->write_log_head(file_bytes));
    impl_->file_bytes = file_bytes;
    return ok();
}

void IncomingBundle::set_source(std::string source) { impl_->source = std::move(source); }

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

Status IncomingBundle::discard() {
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
    if (impl_->unlocated_bytes > bytes_max)
        return discard();
    impl_->file_bytes.reset();
    impl_->drop_live();
    return impl_->log_bytes == 0 ? ok() : impl_->write_log_head(0);
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

Status IncomingBundle::commit(const LayoutId& layout) && {
    StorePack incoming{.id = impl_->hasher.finish(), .size_bytes = impl_->pack_bytes};
    if (impl_->pack_bytes != 0) {
        FARDEL_TRY(sync_file(impl_->pack, impl_->pack_path));
        const auto seal = encode_entry({impl_->pack_bytes, 0, incoming.id});
        FARDEL_TRY(write_whole_at(impl_->log, impl_->log_bytes, seal, impl_->log_path));
        FARDEL_TRY(impl_->lease.hold({.bundles = {}, .packs = {incoming.id}}));
        FARDEL_TRY(impl_->folder.name_pack(impl_->pack_path, incoming.id));
    }
    if (!impl_->source.empty())
        FARDEL_TRY(RetentionFolder(impl_->folder).write_source(impl_->bundle, impl_->source));
    FARDEL_TRY(publish_record(impl_->folder, impl_->lease, impl_->record_of(layout, incoming)));
    // The bundle is there. What cannot be removed now, the next addition or fetch removes.
    static_cast<void>(impl_->remove_files());
    impl_->pack.close();
    return ok();
}

}  // namespace fardel
