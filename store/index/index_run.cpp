#include "index/index_run.h"

#include <fardel/base/byte_reader.h>
#include <fardel/base/byte_writer.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/random.h>
#include <fardel/base/shared_mode.h>
#include <fardel/format/hash.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kRunMagic = "FARDELBR";
constexpr std::uint32_t kRunVersion = 1;
constexpr std::size_t kRunRecordBytes = 32 + 32;
constexpr std::size_t kRunPackBytes = 32 + 8;
constexpr std::size_t kRunEntryBytes = 32;
constexpr int kGuessesMax = 8;

static_assert(kRunPageEntries * kRunEntryBytes + sizeof(Hash) == kRunPageBytes);

std::size_t whole_pages(std::size_t size_bytes) noexcept {
    return (size_bytes + kRunPageBytes - 1) / kRunPageBytes * kRunPageBytes;
}

std::size_t head_fields_bytes(std::uint64_t records, std::uint64_t packs) noexcept {
    return kRunHeadStartBytes + static_cast<std::size_t>(records) * kRunRecordBytes +
           static_cast<std::size_t>(packs) * kRunPackBytes;
}

// Keys are uniform, so this says where one is among them.
std::uint64_t key_number(const BlockKey& key) noexcept {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof number; ++i)
        number = number << 8 | static_cast<std::uint64_t>(key[i]);
    return number;
}

}  // namespace

BlockKey block_key(const Hash& stored_hash) noexcept {
    BlockKey key;
    std::memcpy(key.data(), stored_hash.bytes.data(), key.size());
    return key;
}

// ---- Encoding -------------------------------------------------------------------------------------------------------

std::vector<std::byte> encode_run_head(const IndexRunHead& head) {
    ByteWriter writer;
    writer.text(kRunMagic);
    writer.u32(kRunVersion);
    writer.u32(static_cast<std::uint32_t>(head.records.size()));
    writer.u32(static_cast<std::uint32_t>(head.packs.size()));
    writer.u64(head.entries);
    for (const IndexedRecord& record : head.records) {
        writer.fixed(record.bundle);
        writer.fixed(record.checksum);
    }
    for (const StorePack& pack : head.packs) {
        writer.fixed(pack.id);
        writer.u64(pack.size_bytes);
    }
    writer.fixed(blake3(writer.bytes()));
    writer.pad_to(kRunPageBytes);
    return writer.take();
}

Result<std::size_t> run_head_bytes(std::span<const std::byte> bytes) {
    ByteReader reader(bytes, "index run");
    if (reader.text(kRunMagic.size()) != kRunMagic)
        return Error(ErrorCode::malformed, "index run: its first bytes are not those of a run");
    if (const std::uint32_t version = reader.u32(); version != kRunVersion && !reader.failed())
        return Error(ErrorCode::unsupported, "index run: version " + std::to_string(version));
    const std::uint64_t records = reader.u32();
    const std::uint64_t packs = reader.u32();
    reader.u64();
    FARDEL_TRY(reader.finish());
    // No product of 32-bit numbers overflows here.
    if (records * kRunRecordBytes + packs * kRunPackBytes > kRunHeadBytesMax)
        return Error(ErrorCode::limit, "index run: " + std::to_string(records) + " records");
    return whole_pages(head_fields_bytes(records, packs) + sizeof(Hash));
}

Result<IndexRunHead> decode_run_head(std::span<const std::byte> bytes) {
    if (bytes.size() < kRunHeadStartBytes)
        return Error(ErrorCode::malformed, "index run: too short");
    FARDEL_TRY_ASSIGN(const std::size_t size, run_head_bytes(bytes.first(kRunHeadStartBytes)));
    if (bytes.size() != size)
        return Error(ErrorCode::malformed, "index run: its head is cut off or too long");
    ByteReader reader(bytes, "index run");
    reader.skip(kRunMagic.size() + 4);
    IndexRunHead head;
    head.records.resize(reader.u32());
    head.packs.resize(reader.u32());
    head.entries = reader.u64();
    for (IndexedRecord& record : head.records) {
        record.bundle = reader.fixed<BundleId>();
        record.checksum = reader.fixed<Hash>();
    }
    for (StorePack& pack : head.packs) {
        pack.id = reader.fixed<PackId>();
        pack.size_bytes = reader.u64();
    }
    const std::size_t fields_bytes = reader.position();
    if (reader.fixed<Hash>() != blake3(bytes.first(fields_bytes)))
        return Error(ErrorCode::corrupt, "index run: the checksum of its head differs");
    const auto padding = bytes.last(reader.rest_bytes());
    if (!std::ranges::all_of(padding, [](std::byte byte) { return byte == std::byte{0}; }))
        return Error(ErrorCode::malformed, "index run: its head is not padded with zeros");
    return head;
}

IndexRunPage encode_run_page(std::span<const IndexRunEntry> entries) {
    ByteWriter writer;
    for (const IndexRunEntry& entry : entries) {
        writer.raw(entry.key);
        writer.u32(entry.stored_bytes);
        writer.u32(entry.pack);
        writer.u64(entry.pack_offset);
    }
    writer.zeros(kRunPageBytes - sizeof(Hash) - writer.size_bytes());
    writer.fixed(blake3(writer.bytes()));
    IndexRunPage page;
    std::ranges::copy(writer.bytes(), page.begin());
    return page;
}

Result<std::vector<IndexRunEntry>> decode_run_page(const IndexRunPage& page, std::size_t count) {
    const auto fields = std::span<const std::byte>(page).first(kRunPageBytes - sizeof(Hash));
    ByteReader checksum(std::span<const std::byte>(page).last(sizeof(Hash)), "index run");
    if (checksum.fixed<Hash>() != blake3(fields))
        return Error(ErrorCode::corrupt, "index run: the checksum of a page differs");
    ByteReader reader(fields, "index run");
    std::vector<IndexRunEntry> entries(std::min(count, kRunPageEntries));
    for (IndexRunEntry& entry : entries) {
        reader.copy(entry.key);
        entry.stored_bytes = reader.u32();
        entry.pack = reader.u32();
        entry.pack_offset = reader.u64();
    }
    return entries;
}

// ---- The file -------------------------------------------------------------------------------------------------------

IndexRun::IndexRun(FilePath path, Descriptor file, IndexRunHead head, std::uint64_t pages_offset)
    : path_(std::move(path)), file_(std::move(file)), head_(std::move(head)), pages_offset_(pages_offset) {}

Result<IndexRun> IndexRun::open(const FilePath& path) {
    FARDEL_TRY_ASSIGN(RegularFile file, open_regular_file(path, path, {.links = Links::refused}));
    std::vector<std::byte> bytes(kRunHeadStartBytes);
    FARDEL_TRY_ASSIGN(std::size_t count, read_whole_at(file.descriptor, 0, bytes, path));
    FARDEL_TRY_ASSIGN(const std::size_t head_bytes, run_head_bytes(std::span(bytes).first(count)));
    if (head_bytes > file.status.size_bytes)
        return Error(ErrorCode::corrupt, path.text() + ": the file is cut off");
    bytes.resize(head_bytes);
    FARDEL_TRY_ASSIGN(count, read_whole_at(file.descriptor, 0, bytes, path));
    FARDEL_TRY_ASSIGN(IndexRunHead head, decode_run_head(std::span(bytes).first(count)));
    const std::uint64_t pages_bytes = file.status.size_bytes - head_bytes;
    const std::uint64_t pages = pages_bytes / kRunPageBytes;
    if (pages_bytes % kRunPageBytes != 0 || head.entries > pages * kRunPageEntries ||
        head.entries + kRunPageEntries <= pages * kRunPageEntries)
        return Error(ErrorCode::corrupt, path.text() + ": the file does not have the size that its head says");
    return IndexRun(path, std::move(file.descriptor), std::move(head), head_bytes);
}

Result<std::span<const IndexRunEntry>> IndexRun::read_page(std::uint64_t number) {
    if (number != page_number_) {
        IndexRunPage page;
        FARDEL_TRY_ASSIGN(const std::size_t count,
                          read_whole_at(file_, pages_offset_ + number * kRunPageBytes, page, path_));
        if (count != page.size())
            return Error(ErrorCode::corrupt, path_.text() + ": the file became shorter");
        const std::uint64_t rest = head_.entries - number * kRunPageEntries;
        page_number_ = UINT64_MAX;
        FARDEL_TRY_ASSIGN(
            page_, decode_run_page(page, static_cast<std::size_t>(std::min<std::uint64_t>(rest, kRunPageEntries))));
        page_number_ = number;
    }
    return std::span<const IndexRunEntry>(page_);
}

Result<std::optional<StoredBlock>> IndexRun::find(const Hash& stored_hash) {
    const BlockKey key = block_key(stored_hash);
    std::uint64_t first = 0;
    std::uint64_t last = page_count();
    std::uint64_t from = 0;         // not more than the key, at `first`
    std::uint64_t to = UINT64_MAX;  // not less than the key, at `last`
    for (int guesses = 0; first < last; ++guesses) {
        // By where the key is among all numbers; if that takes long, the keys are not uniform.
        const double part = guesses >= kGuessesMax || to <= from
                                ? 0.5
                                : static_cast<double>(key_number(key) - from) / static_cast<double>(to - from);
        const auto guess =
            std::min(first + static_cast<std::uint64_t>(part * static_cast<double>(last - first)), last - 1);
        FARDEL_TRY_ASSIGN(const auto page, read_page(guess));
        if (key < page.front().key) {
            last = guess;
            to = key_number(page.front().key);
        } else if (page.back().key < key) {
            first = guess + 1;
            from = key_number(page.back().key);
        } else {
            const auto entry = std::ranges::lower_bound(page, key, {}, &IndexRunEntry::key);
            if (entry == page.end() || entry->key != key || entry->pack >= head_.packs.size())
                return std::optional<StoredBlock>();
            return std::optional(StoredBlock{.pack = head_.packs[entry->pack],
                                             .pack_offset = entry->pack_offset,
                                             .stored_bytes = entry->stored_bytes});
        }
    }
    return std::optional<StoredBlock>();
}

namespace {

// A file that gets its name when it is complete. It is not synced: after a power failure, checksums show what is wrong
// with it. Without a name, the destructor removes it; what killed writers leave has no lock.
class UnnamedRun {
public:
    static Result<UnnamedRun> create(const FilePath& path) {
        Hash number;
        fill_random(std::as_writable_bytes(std::span(number.bytes)));
        FilePath unnamed = path.folder() / (".fardel-" + number.hex() + ".tmp");
        FARDEL_TRY_ASSIGN(Descriptor file, create_file(unnamed, unnamed));
        share_new_file(file, unnamed);
        UnnamedRun run(std::move(unnamed), std::move(file));
        static_cast<void>(lock_file(run.file_, run.path_));  // without locks, nobody removes it
        return run;
    }
    UnnamedRun(UnnamedRun&& other) noexcept : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}
    UnnamedRun& operator=(UnnamedRun&&) = delete;
    ~UnnamedRun() {
        if (!path_.empty())
            static_cast<void>(remove_file(path_, path_));
    }

    Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
        return write_whole_at(file_, offset, bytes, path_);
    }
    Status give_name(const FilePath& path) {
        FARDEL_TRY(rename_file(path_, path, path));
        path_.clear();
        return ok();
    }

private:
    UnnamedRun(FilePath path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    FilePath path_;
    Descriptor file_;
};

}  // namespace

Status write_index_run(const FilePath& path, IndexRunHead head,
                       const std::function<Result<std::optional<IndexRunEntry>>()>& next) {
    FARDEL_TRY_ASSIGN(UnnamedRun file, UnnamedRun::create(path));
    std::uint64_t offset = encode_run_head(head).size();
    std::vector<IndexRunEntry> page;
    const auto flush = [&]() -> Status {
        FARDEL_TRY(file.write_at(offset, encode_run_page(page)));
        offset += kRunPageBytes;
        page.clear();
        return ok();
    };
    head.entries = 0;
    for (;;) {
        FARDEL_TRY_ASSIGN(const auto entry, next());
        if (!entry)
            break;
        page.push_back(*entry);
        ++head.entries;
        if (page.size() == kRunPageEntries)
            FARDEL_TRY(flush());
    }
    if (!page.empty())
        FARDEL_TRY(flush());
    FARDEL_TRY(file.write_at(0, encode_run_head(head)));
    return file.give_name(path);
}

}  // namespace fardel
