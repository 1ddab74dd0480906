#include <fardel/store/incoming_bundle.h>

#include "bundles/block_index.h"
#include "bundles/record_source.h"
#include "bundles/store_folder.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/fits.h>
#include <fardel/format/file_source.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace fardel {
namespace {

// The log: a head with the size of the bundle file, then one entry for each range, in the order of the bytes in the
// incoming pack.
constexpr std::string_view kLogMagic = "FARDELIN";
constexpr std::uint64_t kLogVersion = 1;
constexpr std::size_t kLogHeadBytes = 8 + 8 + 8;
constexpr std::size_t kLogEntryBytes = 8 + 8 + 32;
constexpr std::uint64_t kRangeBytesMax = 16u << 20;
constexpr std::size_t kPacksMax = 63;  // besides the incoming one
constexpr PackId kIncomingPack{};      // until it has an id

Result<Descriptor> open_or_create(const std::string& path) {
    auto created = create_file(path, path);
    if (created || created.error().code() != ErrorCode::conflict)
        return created;
    FARDEL_TRY_ASSIGN(RegularFile file,
                      open_regular_file(path, path, {.access = FileAccess::read_write, .links = Links::refused}));
    return std::move(file.descriptor);
}

}  // namespace

struct IncomingBundle::Impl {
    struct Range {
        std::uint64_t length_bytes = 0;
        PackId pack;
        std::uint64_t pack_offset = 0;
    };
    struct OpenPack {
        std::uint64_t size_bytes = 0;
        std::shared_ptr<const ByteSource> source;
    };

    StoreFolder folder;
    BundleId bundle;
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
    std::optional<BlockIndex> index;        // built when it is first needed
    std::uint64_t held = 0;

    Status lock() {
        FARDEL_TRY_ASSIGN(const bool locked, lock_file(pack, pack_path));
        if (!locked)
            return Error(ErrorCode::busy, "bundle " + bundle.hex() + " is being fetched by another process");
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(pack, pack_path));
        if (status.links == 0)
            return Error(ErrorCode::busy, "bundle " + bundle.hex() + " was just fetched by another process");
        return ok();
    }

    // Takes over what the store has of an incomplete bundle.
    Status read_record() {
        const auto record = folder.find_record(bundle);
        if (!record || !*record)
            return ok();  // a damaged one is replaced
        for (const StoreExtent& extent : (*record)->extents) {
            const StorePack& stored = (*record)->packs[extent.pack];
            if (open_pack(stored))
                add(extent.file_offset, {extent.length_bytes, stored.id, extent.pack_offset});
        }
        file_bytes = (*record)->file_bytes;
        return ok();
    }

    // Returns the number of whole entries that fit their bytes.
    Status read_log() {
        std::vector<std::byte> head(kLogHeadBytes);
        FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(log, 0, head, log_path));
        head.resize(count);
        ByteReader reader(head, "log");
        const bool is_log = reader.text(kLogMagic.size()) == kLogMagic && reader.u64() == kLogVersion;
        const std::uint64_t size = reader.u64();
        if (!is_log || reader.failed() || (file_bytes && *file_bytes != size))
            return truncate(0, 0);
        file_bytes = size;
        log_bytes = kLogHeadBytes;
        std::vector<std::byte> entry(kLogEntryBytes);
        std::vector<std::byte> bytes;
        for (;;) {
            FARDEL_TRY_ASSIGN(const std::size_t entry_bytes, read_whole_at(log, log_bytes, entry, log_path));
            const std::span<const std::byte> found = std::span<const std::byte>(entry).first(entry_bytes);
            ByteReader fields(found, "log entry");
            const std::uint64_t offset = fields.u64();
            const std::uint64_t length = fields.u64();
            const Hash hash = fields.fixed<Hash>();
            if (fields.failed() || length == 0 || length > kRangeBytesMax || !fits(offset, length, size) ||
                overlaps(offset, length))
                break;
            bytes.resize(static_cast<std::size_t>(length));
            FARDEL_TRY_ASSIGN(const std::size_t read, read_whole_at(pack, pack_bytes, bytes, pack_path));
            if (read < bytes.size() || blake3(bytes) != hash)
                break;
            hasher.update(bytes);
            add(offset, {length, kIncomingPack, pack_bytes});
            pack_bytes += length;
            log_bytes += kLogEntryBytes;
        }
        return truncate(pack_bytes, log_bytes);
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
    }

    // Returns whether the pack is there and open.
    bool open_pack(const StorePack& stored) {
        if (packs.contains(stored.id))
            return true;
        if (packs.size() >= kPacksMax)
            return false;
        auto source = open_file_source(folder.pack_path(stored.id));
        if (!source || (*source)->size_bytes() != stored.size_bytes)
            return false;
        packs.emplace(stored.id, OpenPack{.size_bytes = stored.size_bytes, .source = *std::move(source)});
        return true;
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
    if (!impl_ || impl_->pack_bytes != 0 || !impl_->pack)
        return;
    // Nothing was received. The lock is held until the files are gone.
    static_cast<void>(remove_file(impl_->log_path, impl_->log_path));
    static_cast<void>(remove_file(impl_->pack_path, impl_->pack_path));
}
IncomingBundle::IncomingBundle(IncomingBundle&&) noexcept = default;

Result<IncomingBundle> IncomingBundle::open(const BundleStore& store, const BundleId& bundle) {
    FARDEL_TRY_ASSIGN(StoreFolder folder, StoreFolder::open(store.path(), true));
    std::unique_ptr<Impl> impl(new Impl{.folder = std::move(folder), .bundle = bundle});
    impl->pack_path = impl->folder.incoming_path(bundle, "pack");
    impl->log_path = impl->folder.incoming_path(bundle, "log");
    FARDEL_TRY_ASSIGN(impl->pack, open_or_create(impl->pack_path));
    FARDEL_TRY(impl->lock());
    FARDEL_TRY_ASSIGN(impl->log, open_or_create(impl->log_path));
    FARDEL_TRY(impl->read_record());
    FARDEL_TRY(impl->read_log());
    return IncomingBundle(std::move(impl));
}

std::optional<std::uint64_t> IncomingBundle::file_bytes() const noexcept { return impl_->file_bytes; }

Status IncomingBundle::set_file_bytes(std::uint64_t file_bytes) {
    ByteWriter writer;
    writer.text(kLogMagic);
    writer.u64(kLogVersion);
    writer.u64(file_bytes);
    FARDEL_TRY(write_whole_at(impl_->log, 0, writer.bytes(), impl_->log_path));
    impl_->log_bytes = kLogHeadBytes;
    impl_->file_bytes = file_bytes;
    return ok();
}

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
    if (impl_->log_bytes == 0 && impl_->file_bytes)  // the size is known from an incomplete record
        FARDEL_TRY(set_file_bytes(*impl_->file_bytes));
    for (std::size_t at = 0; at < bytes.size(); at += kRangeBytesMax) {
        const auto part = bytes.subspan(at, std::min<std::size_t>(bytes.size() - at, kRangeBytesMax));
        FARDEL_TRY(write_whole_at(impl_->pack, impl_->pack_bytes, part, impl_->pack_path));
        ByteWriter entry;
        entry.u64(file_offset + at);
        entry.u64(part.size());
        entry.fixed(blake3(part));
        FARDEL_TRY(write_whole_at(impl_->log, impl_->log_bytes, entry.bytes(), impl_->log_path));
        impl_->hasher.update(part);
        impl_->add(file_offset + at, {part.size(), kIncomingPack, impl_->pack_bytes});
        impl_->pack_bytes += part.size();
        impl_->log_bytes += kLogEntryBytes;
    }
    return ok();
}

Result<bool> IncomingBundle::share(std::uint64_t file_offset, const Hash& stored_hash, std::uint32_t stored_bytes) {
    if (!impl_->index) {
        FARDEL_TRY_ASSIGN(impl_->index, BlockIndex::build(impl_->folder));
    }
    const StoredBlock* const stored = impl_->index->find(stored_hash);
    if (stored == nullptr || stored->stored_bytes != stored_bytes || stored_bytes > kRangeBytesMax ||
        !impl_->open_pack(stored->pack))
        return false;
    std::vector<std::byte> bytes(stored_bytes);
    if (!impl_->packs.at(stored->pack.id).source->read_at(stored->pack_offset, bytes) || blake3(bytes) != stored_hash)
        return false;
    impl_->add(file_offset, {stored_bytes, stored->pack.id, stored->pack_offset});
    return true;
}

Status IncomingBundle::discard() {
    std::erase_if(impl_->ranges, [](const auto& one) { return one.second.pack == kIncomingPack; });
    impl_->held = 0;
    for (const auto& [offset, range] : impl_->ranges)
        impl_->held += range.length_bytes;
    impl_->hasher.reset();
    if (impl_->ranges.empty())
        impl_->file_bytes.reset();
    return impl_->truncate(0, 0);
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

Status IncomingBundle::commit(const LayoutId& layout) && {
    StorePack incoming{.id = impl_->hasher.finish(), .size_bytes = impl_->pack_bytes};
    if (impl_->pack_bytes != 0) {
        FARDEL_TRY(sync_file(impl_->pack, impl_->pack_path));
        FARDEL_TRY(impl_->folder.name_pack(impl_->pack_path, incoming.id));
    } else {
        FARDEL_TRY(remove_file(impl_->pack_path, impl_->pack_path));
    }
    FARDEL_TRY(impl_->folder.write_record(impl_->record_of(layout, incoming)));
    FARDEL_TRY(remove_file(impl_->log_path, impl_->log_path));
    impl_->pack.close();
    return ok();
}

}  // namespace fardel
