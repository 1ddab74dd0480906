#include <fardel/base/fits.h>
#include <fardel/format/head.h>

#include "buckets.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/hash.h>
#include <fardel/format/name_buckets.h>

#include <algorithm>
#include <string>

namespace fardel {
namespace {

constexpr std::array<std::uint8_t, 8> kHeadMagic{'F', 'A', 'R', 'D', 'E', 'L', '\r', '\n'};
constexpr std::array<std::uint8_t, 8> kLayoutMagic{'F', 'A', 'R', 'D', 'E', 'L', 'L', '\n'};

constexpr std::size_t kTableEntryBytes = 64;
constexpr std::size_t kHeadTablesAt = 64;
constexpr std::size_t kLayoutTablesAt = 256;
constexpr std::size_t kLayoutCodecsAt = 128;
constexpr std::uint32_t kHeadTablesMax = (limits::kHeadBytes - kHeadTablesAt) / kTableEntryBytes;
constexpr std::uint32_t kLayoutTablesMax = 2;
constexpr std::uint32_t kCodecsMax = 24;

using ConstHead = std::span<const std::byte, limits::kHeadBytes>;

Error malformed(std::string_view what) { return Error(ErrorCode::malformed, std::string(what)); }

bool zero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

void encode_tables(std::span<const TableEntry> tables, std::byte* at) {
    for (const TableEntry& table : tables) {
        store_le(at, static_cast<std::uint32_t>(table.kind));
        store_le(at + 4, table.record_bytes);
        store_le(at + 8, table.offset);
        store_le(at + 16, table.length_bytes);
        store_le(at + 24, table.count);
        std::memcpy(at + 32, table.root.bytes.data(), 32);
        at += kTableEntryBytes;
    }
}

// Decodes the entries and checks that each table is where the lengths put it; `section_bytes_max` bounds their sum.
Result<std::vector<TableEntry>> decode_tables(ConstHead head, std::size_t at, std::uint32_t count, bool layout,
                                              std::uint64_t section_bytes, std::uint64_t section_bytes_max) {
    std::vector<TableEntry> tables;
    tables.reserve(count);  // count ≤ 63
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::byte* in = head.data() + at + i * kTableEntryBytes;
        TableEntry table;
        table.kind = static_cast<TableKind>(load_le<std::uint32_t>(in));
        table.record_bytes = load_le<std::uint32_t>(in + 4);
        table.offset = load_le<std::uint64_t>(in + 8);
        table.length_bytes = load_le<std::uint64_t>(in + 16);
        table.count = load_le<std::uint64_t>(in + 24);
        std::memcpy(table.root.bytes.data(), in + 32, 32);

        const std::uint32_t known = record_bytes(table.kind);
        if (known == 0 || is_layout_table(table.kind) != layout)
            return Error(ErrorCode::unsupported,
                         "table kind " + std::to_string(static_cast<std::uint32_t>(table.kind)) + " is not known here");
        const std::string name(table_name(table.kind));
        if (table.record_bytes != known)
            return Error(ErrorCode::unsupported, "table " + name + ": records of " +
                                                     std::to_string(table.record_bytes) +
                                                     " bytes, this version knows " + std::to_string(known));
        if (!tables.empty() && tables.back().kind >= table.kind)
            return malformed("table " + name + ": kinds are not strictly increasing");
        if (table.count == 0)
            return malformed("table " + name + ": an empty table is left out");
        if (table.count > kTables[table_slot(table.kind)].records_max)
            return Error(ErrorCode::limit, "table " + name + ": " + std::to_string(table.count) + " records");
        if (table.length_bytes != table.count * known)
            return malformed("table " + name + ": length is not count × record size");
        tables.push_back(table);
    }
    if (!zero(head.subspan(at + count * kTableEntryBytes, limits::kHeadBytes - at - count * kTableEntryBytes)))
        return malformed("bytes after the table entries are not zero");
    if (section_bytes > section_bytes_max)
        return Error(ErrorCode::limit, "a section of " + std::to_string(section_bytes) + " bytes");

    std::vector<TableEntry> placed = tables;
    // Offsets follow from the lengths, so there is one head for one manifest; they are stored to be read without
    // arithmetic.
    if (place_tables(placed) != section_bytes)
        return malformed("section length is not the sum of its tables");
    if (placed != tables)
        return malformed("a table does not stand where the ones before it end");
    return tables;
}

// Decodes the fields that both heads have into `head`, and returns the number of its tables.
template <class Head>
Result<std::uint32_t> decode_common(ConstHead bytes, const std::array<std::uint8_t, 8>& magic, const char* not_ours,
                                    std::uint32_t tables_max, Head& head) {
    if (std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
        return malformed(not_ours);
    const auto major = load_le<std::uint16_t>(bytes.data() + 8);
    if (major != kFormatMajor)
        return Error(ErrorCode::unsupported, "format version " + std::to_string(major) + "; this version reads " +
                                                 std::to_string(kFormatMajor));
    // Required features: an unknown one changes what the tables mean, so the bundle is not read. Unknown optional ones
    // are.
    if (load_le<std::uint64_t>(bytes.data() + 16) != 0)
        return Error(ErrorCode::unsupported, "the bundle requires a feature that this version does not know");
    head.minor = load_le<std::uint16_t>(bytes.data() + 10);
    head.optional_flags = load_le<std::uint64_t>(bytes.data() + 24);
    const auto table_count = load_le<std::uint32_t>(bytes.data() + 12);
    if (table_count > tables_max)
        return Error(ErrorCode::limit, std::to_string(table_count) + " tables");
    return table_count;
}

HeadBytes encode_common(const std::array<std::uint8_t, 8>& magic, std::uint16_t minor, std::size_t tables,
                        std::uint64_t optional_flags) {
    HeadBytes out{};
    std::memcpy(out.data(), magic.data(), magic.size());
    store_le(out.data() + 8, kFormatMajor);
    store_le(out.data() + 10, minor);
    store_le(out.data() + 12, static_cast<std::uint32_t>(tables));
    store_le(out.data() + 24, optional_flags);
    return out;
}

const TableEntry* find_table(std::span<const TableEntry> tables, TableKind kind) noexcept {
    const auto it = std::ranges::find(tables, kind, &TableEntry::kind);
    return it == tables.end() ? nullptr : &*it;
}

std::uint64_t count_in(std::span<const TableEntry> tables, TableKind kind) noexcept {
    const TableEntry* const table = find_table(tables, kind);
    return table ? table->count : 0;
}

std::uint64_t asset_bucket_records(std::uint64_t assets) {
    return assets == 0 ? 0 : (std::uint64_t{1} << bucket_bits(assets)) + 1;
}

}  // namespace

const TableEntry* BundleHead::find(TableKind kind) const noexcept { return find_table(tables, kind); }
const TableEntry* LayoutHead::find(TableKind kind) const noexcept { return find_table(tables, kind); }
std::uint64_t BundleHead::count(TableKind kind) const noexcept { return count_in(tables, kind); }
std::uint64_t LayoutHead::count(TableKind kind) const noexcept { return count_in(tables, kind); }

std::uint64_t tree_bytes(std::uint64_t length_bytes) noexcept {
    std::uint64_t total = 0;
    for (std::uint64_t level = length_bytes; level > limits::kPageBytes;) {
        level = align_up(level, limits::kPageBytes) / limits::kPageBytes * sizeof(Hash);
        total += align_up(level, kTableAlign);
    }
    return total;
}

std::uint64_t place_tables(std::span<TableEntry> tables) noexcept {
    std::uint64_t at = 0;
    for (TableEntry& table : tables) {
        table.offset = at;
        at += align_up(table.length_bytes, kTableAlign) + tree_bytes(table.length_bytes);
    }
    return at;
}

bool begins_as_bundle(std::span<const std::byte> first) noexcept {
    return first.size() >= kHeadMagic.size() && std::memcmp(first.data(), kHeadMagic.data(), kHeadMagic.size()) == 0;
}

HeadBytes encode_head(const BundleHead& head) {
    HeadBytes out = encode_common(kHeadMagic, head.minor, head.tables.size(), head.optional_flags);
    store_le(out.data() + 32, head.manifest_bytes);
    encode_tables(head.tables, out.data() + kHeadTablesAt);
    return out;
}

Result<BundleHead> decode_head(ConstHead bytes) {
    BundleHead head;
    FARDEL_TRY_ASSIGN(const std::uint32_t table_count,
                      decode_common(bytes, kHeadMagic, "not a Fardel bundle (the first bytes are not its magic)",
                                    kHeadTablesMax, head));
    head.manifest_bytes = load_le<std::uint64_t>(bytes.data() + 32);
    if (!zero(bytes.subspan(40, 24)))
        return malformed("head: a reserved byte is not zero");
    FARDEL_TRY_ASSIGN(head.tables, decode_tables(bytes, kHeadTablesAt, table_count, false, head.manifest_bytes,
                                                 limits::kManifestBytesMax));

    using enum TableKind;
    const auto count = [&](TableKind kind) { return head.count(kind); };
    // Look-up tables follow from the tables that they lead to; only their sizes can be compared without reading them.
    if (count(asset_buckets) != asset_bucket_records(count(assets)))
        return malformed("head: asset_buckets has the wrong number of records");
    const std::uint64_t homes = home_buckets(count(names));
    if (count(name_buckets) < homes || count(name_buckets) > homes + (homes == 0 ? 0 : limits::kNameSpillMax))
        return malformed("head: name_buckets has the wrong number of records");
    if (count(name_filters) != filter_words(count(names)))
        return malformed("head: name_filters has the wrong number of records");
    return head;
}

BundleId bundle_id(const HeadBytes& head) noexcept { return id_from<BundleId>(blake3(head)); }

HeadBytes encode_layout_head(const LayoutHead& layout) {
    HeadBytes out = encode_common(kLayoutMagic, layout.minor, layout.tables.size(), layout.optional_flags);
    std::memcpy(out.data() + 32, layout.bundle.bytes.data(), 32);
    store_le(out.data() + 64, layout.blocks_offset);
    store_le(out.data() + 72, layout.blocks_bytes);
    store_le(out.data() + 80, layout.manifest_offset);
    store_le(out.data() + 88, layout.layout_offset);
    store_le(out.data() + 96, layout.layout_bytes);
    store_le(out.data() + 104, layout.trailer_offset);
    store_le(out.data() + 112, static_cast<std::uint32_t>(layout.codecs.size()));
    std::byte* at = out.data() + kLayoutCodecsAt;
    for (const CodecVersion& codec : layout.codecs) {
        store_le(at, static_cast<std::uint16_t>(codec.codec));
        store_le(at + 2, codec.version);
        at += 4;
    }
    encode_tables(layout.tables, out.data() + kLayoutTablesAt);
    return out;
}

Result<LayoutHead> decode_layout_head(ConstHead bytes) {
    LayoutHead layout;
    FARDEL_TRY_ASSIGN(const std::uint32_t table_count,
                      decode_common(bytes, kLayoutMagic, "layout head: wrong magic", kLayoutTablesMax, layout));
    std::memcpy(layout.bundle.bytes.data(), bytes.data() + 32, 32);
    // Only numbers so far: verify_sections() compares them with the head and with the file.
    layout.blocks_offset = load_le<std::uint64_t>(bytes.data() + 64);
    layout.blocks_bytes = load_le<std::uint64_t>(bytes.data() + 72);
    layout.manifest_offset = load_le<std::uint64_t>(bytes.data() + 80);
    layout.layout_offset = load_le<std::uint64_t>(bytes.data() + 88);
    layout.layout_bytes = load_le<std::uint64_t>(bytes.data() + 96);
    layout.trailer_offset = load_le<std::uint64_t>(bytes.data() + 104);

    // The codecs, each once and in order: equal layouts are equal bytes.
    const auto codec_count = load_le<std::uint32_t>(bytes.data() + 112);
    if (codec_count > kCodecsMax)
        return Error(ErrorCode::limit, "layout head: " + std::to_string(codec_count) + " codecs");
    if (!zero(bytes.subspan(116, 12)))
        return malformed("layout head: a reserved byte is not zero");
    for (std::uint32_t i = 0; i < codec_count; ++i) {
        const std::byte* in = bytes.data() + kLayoutCodecsAt + 4 * i;
        const auto id = load_le<std::uint16_t>(in);
        const auto version = load_le<std::uint16_t>(in + 2);
        if (!is_known(static_cast<Codec>(id)) || version != 1)
            return Error(ErrorCode::unsupported,
                         "layout head: codec " + std::to_string(id) + " version " + std::to_string(version));
        if (!layout.codecs.empty() && static_cast<std::uint16_t>(layout.codecs.back().codec) >= id)
            return malformed("layout head: codecs are not strictly increasing");
        layout.codecs.push_back({static_cast<Codec>(id), version});
    }
    const std::size_t codecs_end = kLayoutCodecsAt + 4 * codec_count;
    if (!zero(bytes.subspan(codecs_end, kLayoutTablesAt - codecs_end)))
        return malformed("layout head: a reserved byte is not zero");
    FARDEL_TRY_ASSIGN(layout.tables, decode_tables(bytes, kLayoutTablesAt, table_count, true, layout.layout_bytes,
                                                   limits::kLayoutBytesMax));
    return layout;
}

LayoutId layout_id(const HeadBytes& layout_head) noexcept { return id_from<LayoutId>(blake3(layout_head)); }

Status verify_sections(const BundleHead& head, const BundleId& id, const LayoutHead& layout, std::uint64_t file_bytes) {
    if (layout.bundle != id)
        return Error(ErrorCode::corrupt, "the layout head belongs to another bundle, or the head was changed");
    if (layout.count(TableKind::placements) != head.count(TableKind::assets))
        return malformed("layout head: placements and assets differ in number");
    // The bundle id covers no layout, and whoever serves a bundle may make one up: what the head says is what a layout
    // can need. The sum does not overflow: both counts have limits.
    const std::uint64_t blocks = layout.count(TableKind::blocks);
    if (blocks > head.count(TableKind::assets) + head.count(TableKind::pieces))
        return malformed("layout head: more blocks than assets and their pieces can have");
    if (layout.blocks_bytes > blocks * (limits::kBlockBytesMax + limits::kRawBlockAlign))
        return malformed("layout head: more bytes than its blocks can have");

    struct Section {
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    std::array<Section, 3> sections{{{layout.blocks_offset, layout.blocks_bytes},
                                     {layout.manifest_offset, head.manifest_bytes},
                                     {layout.layout_offset, layout.layout_bytes}}};
    // The writer chooses the order of the sections; what counts is that they neither overlap nor hide bytes between
    // them.
    std::ranges::stable_sort(sections, [](const Section& a, const Section& b) {
        return std::pair(a.offset, a.bytes) < std::pair(b.offset, b.bytes);
    });
    std::uint64_t end = 2 * limits::kHeadBytes;
    for (const Section& section : sections) {
        if (section.offset % limits::kPageBytes != 0)
            return malformed("layout head: a section does not begin at a multiple of 4096");
        // A gap of a page or more could carry bytes that no hash covers.
        if (section.offset < end || section.offset - end >= limits::kPageBytes)
            return malformed("layout head: sections overlap or leave a gap");
        if (!fits(section.offset, section.bytes, file_bytes))
            return malformed("a section ends behind the file's end; the file is cut short");
        end = section.offset + section.bytes;
    }
    if (layout.trailer_offset % limits::kPageBytes != 0 || layout.trailer_offset < end ||
        layout.trailer_offset - end >= limits::kPageBytes)
        return malformed("layout head: the trailer does not follow the sections");
    if (layout.trailer_offset > file_bytes)
        return malformed("the trailer begins behind the file's end; the file is cut short");
    if (file_bytes - layout.trailer_offset > limits::kTrailerBytesMax)
        return Error(ErrorCode::limit, "the trailer is longer than a trailer may be");
    return ok();
}

}  // namespace fardel
