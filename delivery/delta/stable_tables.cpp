#include <fardel/delivery/stable_tables.h>

#include <fardel/base/little_endian.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <utility>

namespace fardel {
namespace {

// The fields that are changed, and those that say how. docs/bundle-format.md has the records.
constexpr std::size_t kNameText = 0;
constexpr std::size_t kNameTarget = 4;
constexpr std::size_t kNameFlags = 10;
constexpr std::size_t kBlockOffset = 32;
constexpr std::size_t kBlockStoredBytes = 40;

constexpr std::uint64_t kKeys = std::uint64_t{1} << 32;
constexpr std::uint64_t kRecordsAtOnce = 4096;

std::uint32_t leading_id_bits(std::span<const std::byte> asset) {
    std::uint32_t bits = 0;
    for (const std::byte one : asset.first(sizeof bits))
        bits = bits << 8 | std::to_integer<std::uint32_t>(one);
    return bits;
}

bool leads_to_asset(std::span<const std::byte> name) {
    return (load_le<std::uint16_t>(name.data() + kNameFlags) & (NameRecord::tombstone | NameRecord::has_variants)) == 0;
}

// Placements stay as they are: blocks have no order of their own, and keys made of their hashes would change for all
// assets of a block whenever one of them does.
bool is_changed(TableKind kind) noexcept { return kind == TableKind::names || kind == TableKind::blocks; }

// What the record after this one counts from. The record is as it is in the bundle.
std::uint64_t end_of(TableKind kind, std::span<const std::byte> record) {
    if (kind == TableKind::names)
        return load_le<std::uint32_t>(record.data() + kNameText);
    return load_le<std::uint64_t>(record.data() + kBlockOffset) +
           load_le<std::uint32_t>(record.data() + kBlockStoredBytes);
}

void stabilise(TableKind kind, std::uint64_t before, const AssetKeys& keys, std::span<std::byte> record) {
    if (kind == TableKind::blocks) {
        std::byte* const offset = record.data() + kBlockOffset;
        store_le(offset, load_le<std::uint64_t>(offset) - before);
        return;
    }
    std::byte* const text = record.data() + kNameText;
    store_le(text, load_le<std::uint32_t>(text) - static_cast<std::uint32_t>(before));
    std::byte* const target = record.data() + kNameTarget;
    if (leads_to_asset(record))
        store_le(target, keys.key_of(load_le<std::uint32_t>(target)));
}

Status restore_record(TableKind kind, std::uint64_t before, const AssetKeys& keys, std::span<std::byte> record) {
    if (kind == TableKind::blocks) {
        std::byte* const offset = record.data() + kBlockOffset;
        store_le(offset, load_le<std::uint64_t>(offset) + before);
        return ok();
    }
    std::byte* const text = record.data() + kNameText;
    store_le(text, load_le<std::uint32_t>(text) + static_cast<std::uint32_t>(before));
    std::byte* const target = record.data() + kNameTarget;
    if (leads_to_asset(record)) {
        FARDEL_TRY_ASSIGN(const std::uint32_t index, keys.index_of(load_le<std::uint32_t>(target)));
        store_le(target, index);
    }
    return ok();
}

std::uint64_t records_of(const TableImage& image, TableKind kind) {
    const auto tables = image.tables();
    const auto table = std::ranges::find(tables, kind, &TableImage::Table::kind);
    return table == tables.end() ? 0 : table->length_bytes / record_bytes(kind);
}

}  // namespace

// ---- AssetKeys ------------------------------------------------------------------------------------------------------

void AssetKeys::add(std::uint32_t leading_id_bits) {
    const std::uint64_t least = keys_.empty() ? 0 : std::uint64_t{keys_.back()} + 1;
    const std::uint64_t most = kKeys - assets_ + keys_.size();  // one is left for each that follows
    keys_.push_back(static_cast<std::uint32_t>(std::min(std::max<std::uint64_t>(leading_id_bits, least), most)));
}

std::uint32_t AssetKeys::key_of(std::uint32_t index) const noexcept {
    return index < keys_.size() ? keys_[index] : index;
}

Result<std::uint32_t> AssetKeys::index_of(std::uint32_t key) const {
    const auto found = std::ranges::lower_bound(keys_, key);
    if (found == keys_.end() || *found != key)
        return Error(ErrorCode::malformed, "a name leads to the key of no asset");
    return static_cast<std::uint32_t>(found - keys_.begin());
}

// ---- StableTables ---------------------------------------------------------------------------------------------------

Result<StableTables> StableTables::open(TableImage image, const ByteSource& file) {
    StableTables tables(std::move(image), file);
    for (const TableImage::Table& table : tables.image_.tables()) {
        if (table.kind != TableKind::assets)
            continue;
        constexpr std::size_t kBytes = record_bytes(TableKind::assets);
        const std::uint64_t count = table.length_bytes / kBytes;
        tables.keys_ = AssetKeys(count);
        std::vector<std::byte> part;
        for (std::uint64_t first = 0; first < count; first += kRecordsAtOnce) {
            part.resize(static_cast<std::size_t>(std::min(count - first, kRecordsAtOnce)) * kBytes);
            FARDEL_TRY(tables.image_.read(file, table.offset + first * kBytes, part));
            for (std::size_t at = 0; at < part.size(); at += kBytes)
                tables.keys_.add(leading_id_bits(std::span(part).subspan(at, kBytes)));
        }
    }
    return tables;
}

Status StableTables::read(std::uint64_t offset, std::span<std::byte> out) const {
    FARDEL_TRY(image_.read(*file_, offset, out));
    const std::uint64_t end = offset + out.size();
    for (const TableImage::Table& table : image_.tables()) {
        const std::uint64_t from = std::max(offset, table.offset);
        const std::uint64_t to = std::min(end, table.offset + table.length_bytes);
        if (is_changed(table.kind) && from < to)
            FARDEL_TRY(read_records(
                table, from - table.offset,
                out.subspan(static_cast<std::size_t>(from - offset), static_cast<std::size_t>(to - from))));
    }
    return ok();
}

// `offset`: in the table. The range may begin and end inside records.
Status StableTables::read_records(const TableImage::Table& table, std::uint64_t offset,
                                  std::span<std::byte> out) const {
    const std::size_t size = record_bytes(table.kind);
    const std::uint64_t first = offset / size;
    const std::uint64_t end = (offset + out.size() + size - 1) / size;
    const std::uint64_t begin = first == 0 ? 0 : first - 1;  // the first one counts from it
    std::vector<std::byte> records(static_cast<std::size_t>(end - begin) * size);
    FARDEL_TRY(image_.read(*file_, table.offset + begin * size, records));
    std::uint64_t before = 0;
    for (std::size_t at = 0; at < records.size(); at += size) {
        const std::span<std::byte> record = std::span(records).subspan(at, size);
        const std::uint64_t next = end_of(table.kind, record);
        stabilise(table.kind, before, keys_, record);
        before = next;
    }
    std::copy_n(records.begin() + static_cast<std::ptrdiff_t>(offset - begin * size), out.size(), out.begin());
    return ok();
}

// ---- TableRestorer --------------------------------------------------------------------------------------------------

TableRestorer::TableRestorer(TableImage image)
    : image_(std::move(image)), keys_(records_of(image_, TableKind::assets)) {}

Status TableRestorer::restore(std::span<std::byte> bytes) {
    const std::uint64_t begin = std::exchange(offset_, offset_ + bytes.size());
    if (offset_ > image_.size_bytes())
        return Error(ErrorCode::malformed, "more bytes than the tables have");
    for (const TableImage::Table& table : image_.tables()) {
        const std::uint64_t from = std::max(begin, table.offset);
        const std::uint64_t to = std::min(offset_, table.offset + table.length_bytes);
        if (from >= to || (table.kind != TableKind::assets && !is_changed(table.kind)))
            continue;
        const std::size_t size = record_bytes(table.kind);
        if ((from - table.offset) % size != 0 || (to - table.offset) % size != 0)
            return Error(ErrorCode::malformed, "a part of the tables ends inside a record");
        if (from == table.offset)
            before_ = 0;
        for (std::uint64_t at = from; at < to; at += size) {
            const std::span<std::byte> record = bytes.subspan(static_cast<std::size_t>(at - begin), size);
            if (table.kind == TableKind::assets) {
                keys_.add(leading_id_bits(record));
                continue;
            }
            FARDEL_TRY(restore_record(table.kind, before_, keys_, record));
            before_ = end_of(table.kind, record);
        }
    }
    return ok();
}

}  // namespace fardel
