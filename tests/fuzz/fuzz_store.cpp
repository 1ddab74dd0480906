// Input: 'r', then the record of a bundle in a store; or 'i', a byte, two of a length, and a pack of that length and a
// log, as a fetch that was interrupted leaves them.
//
// Bytes that decode as a record are exactly what its values encode to; they are decoded as they are, and with their
// hash appended. Of an interrupted fetch, exactly the ranges count that the log has before its first mistake, whatever
// was left. If the byte is odd, the hashes in the log are made those of the pack, which no fuzzer would find.
#include "packs/store_record.h"
#include "require.h"

#include <fardel/format/byte_source.h>
#include <fardel/format/hash.h>
#include <fardel/store/bundle_store.h>
#include <fardel/store/incoming_bundle.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

using namespace fardel;

namespace {

using Bytes = std::span<const std::byte>;

// ---- Records --------------------------------------------------------------------------------------------------------

void check_record(Bytes bytes) {
    const auto record = decode_store_record(bytes);
    if (!record)
        return;
    require(std::ranges::equal(encode_store_record(*record), bytes));
    require(record->held_bytes() <= record->file_bytes && record->packs.size() <= record->extents.size());
    StoreRecordBuilder builder;
    for (const StoreExtent& extent : record->extents) {
        require(record->find(extent.file_offset, extent.length_bytes) == &extent);
        require(record->find(extent.end() - 1, 2) == nullptr);
        builder.add(extent.file_offset, extent.length_bytes, record->packs[extent.pack], extent.pack_offset);
    }
    const StoreRecord built = std::move(builder).finish(record->bundle, record->layout, record->file_bytes);
    require(built.extents.size() <= record->extents.size() && built.held_bytes() == record->held_bytes());
}

void check_records(Bytes bytes) {
    check_record(bytes);
    std::vector<std::byte> sealed(bytes.begin(), bytes.end());
    const Hash hash = blake3(bytes);
    const auto end = std::as_bytes(std::span(hash.bytes));
    sealed.insert(sealed.end(), end.begin(), end.end());
    check_record(sealed);
}

// ---- Interrupted fetches --------------------------------------------------------------------------------------------

constexpr std::size_t kHeadBytes = 24;   // magic, version, size of the file
constexpr std::size_t kEntryBytes = 48;  // offset, length, hash
constexpr std::uint64_t kRangeBytesMax = 16u << 20;
constexpr std::uint64_t kUnlocated = UINT64_MAX;  // the offset of bytes that are kept and belong nowhere yet

struct Range {
    std::uint64_t offset = 0;
    Bytes bytes;
};

std::uint64_t number_at(Bytes bytes, std::size_t offset) {
    std::uint64_t number = 0;
    for (std::size_t i = 8; i-- > 0;)
        number = number << 8 | static_cast<std::uint64_t>(bytes[offset + i]);
    return number;
}

// Makes the hash of each entry that of its bytes in the pack.
void repair(std::vector<std::byte>& log, Bytes pack) {
    for (std::size_t at = kHeadBytes; at + kEntryBytes <= log.size(); at += kEntryBytes) {
        const std::uint64_t length = number_at(log, at + 8);
        if (length > pack.size())
            return;
        const Hash hash = blake3(pack.first(static_cast<std::size_t>(length)));
        std::memcpy(&log[at + 16], hash.bytes.data(), hash.bytes.size());
        pack = pack.subspan(static_cast<std::size_t>(length));
    }
}

std::optional<std::uint64_t> file_bytes_of(Bytes log) {
    constexpr char kStart[] = "FARDELIN\1\0\0\0\0\0\0";  // with its last zero
    if (log.size() < kHeadBytes || std::memcmp(log.data(), kStart, sizeof kStart) != 0)
        return std::nullopt;
    const std::uint64_t size = number_at(log, 16);
    return size == 0 ? std::nullopt : std::optional(size);
}

std::vector<Range> ranges_of(Bytes log, Bytes pack, std::uint64_t file_bytes) {
    std::vector<Range> ranges;
    for (std::size_t at = kHeadBytes; at + kEntryBytes <= log.size(); at += kEntryBytes) {
        const std::uint64_t offset = number_at(log, at);
        const std::uint64_t length = number_at(log, at + 8);
        const auto overlaps = [&](const Range& other) {
            return offset < other.offset + other.bytes.size() && other.offset < offset + length;
        };
        const bool is_located = offset != kUnlocated;
        if (length == 0 || length > kRangeBytesMax || length > pack.size())
            break;
        if (is_located &&
            (offset > file_bytes || length > file_bytes - offset || std::ranges::any_of(ranges, overlaps)))
            break;
        const Bytes bytes = pack.first(static_cast<std::size_t>(length));
        if (std::memcmp(&log[at + 16], blake3(bytes).bytes.data(), sizeof(Hash)) != 0)
            break;
        if (is_located)
            ranges.push_back({offset, bytes});
        pack = pack.subspan(bytes.size());
    }
    return ranges;
}

// A store in a folder of its own, which is removed at the end.
struct Store {
    std::string folder;
    std::optional<BundleStore> store;
    BundleId bundle{};

    Store() {
        std::string path = (std::filesystem::temp_directory_path() / "fardel-fuzz-store-XXXXXX").string();
        require(mkdtemp(path.data()) != nullptr);
        folder = path;
        auto opened = BundleStore::open(folder, true);
        require(static_cast<bool>(opened));
        store = *std::move(opened);
        // A fetch of its own shows where its files are.
        auto incoming = IncomingBundle::open(*store, bundle);
        require(static_cast<bool>(incoming));
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
            if (const std::string name = entry.path().string(); entry.is_regular_file())
                (name.ends_with("pack") ? pack : name.ends_with("log") ? log : other) = name;
        require(!pack.empty() && !log.empty());
    }
    ~Store() {
        std::error_code ignored;
        std::filesystem::remove_all(folder, ignored);
    }

    std::string pack;
    std::string log;
    std::string other;
};

void write_file(const std::string& path, Bytes bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    require(static_cast<bool>(out.flush()));
}

void check_held(const IncomingBundle& incoming, std::optional<std::uint64_t> file_bytes,
                std::span<const Range> ranges) {
    require(incoming.file_bytes() == file_bytes);
    std::uint64_t held = 0;
    const auto source = incoming.source();
    require(static_cast<bool>(source));
    for (const Range& range : ranges) {
        held += range.bytes.size();
        require(incoming.holds(range.offset, range.bytes.size()));
        std::vector<std::byte> read(range.bytes.size());
        require(static_cast<bool>((*source)->read_at(range.offset, read)) && std::ranges::equal(read, range.bytes));
    }
    require(incoming.held_bytes() == held);
}

void check_incoming(Bytes input) {
    static Store files;
    if (input.size() < 3)
        return;
    const bool repairs = (input[0] & std::byte{1}) != std::byte{0};
    const std::size_t pack_bytes = static_cast<std::size_t>(input[1]) | static_cast<std::size_t>(input[2]) << 8;
    const Bytes pack = input.subspan(3, std::min(pack_bytes, input.size() - 3));
    const Bytes rest = input.subspan(3 + pack.size());
    std::vector<std::byte> log(rest.begin(), rest.end());
    if (repairs)
        repair(log, pack);
    const auto file_bytes = file_bytes_of(log);
    const auto ranges = file_bytes ? ranges_of(log, pack, *file_bytes) : std::vector<Range>();
    write_file(files.pack, pack);
    write_file(files.log, log);
    for (int time = 0; time < 2; ++time) {  // what the first time leaves gives the same
        const auto incoming = IncomingBundle::open(*files.store, files.bundle);
        require(static_cast<bool>(incoming));
        check_held(*incoming, file_bytes, ranges);
        if (ranges.empty())
            return;  // then both files are removed
    }
}

}  // namespace

int fuzz_store(const std::uint8_t* data, std::size_t size) {
    if (size == 0)
        return 0;
    const Bytes rest = std::as_bytes(std::span(data + 1, size - 1));
    if (data[0] == 'i')
        check_incoming(rest);
    else
        check_records(rest);
    return 0;
}
