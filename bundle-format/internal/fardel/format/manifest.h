// The records of a bundle's manifest and layout, as values. docs/bundle-format.md gives the bytes.
//
// Tables are arrays of fixed little-endian records whose sizes are powers of two, so that none crosses a page.
// An index names a record of another table. A decode_… function reads one record and checks what that record alone
// shows (reserved bytes are zero, kinds are known). The code that follows an index checks it against the other table's
// count.
#pragma once

#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>
#include <fardel/format/ids.h>
#include <fardel/format/limits.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fardel {

enum class TableKind : std::uint32_t {
    strings = 1,            // u16 length + bytes, back to back, sorted, each once
    assets = 2,             // AssetRecord, sorted by id
    asset_buckets = 3,      // u32: first asset of each bucket of leading id bits, and the count at the end
    names = 4,              // NameRecord, sorted by text
    name_buckets = 5,       // NameBucketRecord, by leading bits of the hash (name_buckets.h)
    name_filters = 6,       // u32: bits of the hashes that share their leading bits
    pieces = 7,             // Hash of each piece of each asset that has more than one
    variants = 8,           // VariantRecord
    tags = 9,               // TagRecord
    references = 10,        // ReferenceRecord, grouped by asset, sorted by spelling
    foreign_assets = 11,    // ForeignAssetRecord, sorted by (id, dependency)
    consumes = 12,          // ConsumeRecord, sorted by pattern
    dependencies = 13,      // DependencyRecord, in declared order
    metadata = 14,          // MetadataRecord, sorted by (subject, key); the bundle's own come last
    creator_metadata = 15,  // the same form; the runtime never reads it
    placements = 64,        // layout: PlacementRecord per asset
    blocks = 65,            // layout: BlockRecord
};

// Every kind of table: its name, the bytes of one record, and how many records it may have.
struct TableTraits {
    TableKind kind{};
    std::string_view name;
    std::uint32_t record_bytes = 0;
    std::uint64_t records_max = 0;
};
inline constexpr std::uint32_t kNoIndex = 0xffff'ffffu;
inline constexpr std::array kTables = std::to_array<TableTraits>({
    {TableKind::strings, "strings", 1, limits::kStringsBytesMax},
    {TableKind::assets, "assets", 64, limits::kAssetsMax},
    {TableKind::asset_buckets, "asset_buckets", 4, kNoIndex - 1},
    {TableKind::names, "names", 16, limits::kNamesMax},
    {TableKind::name_buckets, "name_buckets", 64, kNoIndex - 1},
    {TableKind::name_filters, "name_filters", 4, kNoIndex - 1},
    {TableKind::pieces, "pieces", 32, kNoIndex - 1},
    {TableKind::variants, "variants", 16, kNoIndex - 1},
    {TableKind::tags, "tags", 8, kNoIndex - 1},
    {TableKind::references, "references", 16, kNoIndex - 1},
    {TableKind::foreign_assets, "foreign_assets", 64, kNoIndex - 1},
    {TableKind::consumes, "consumes", 8, kNoIndex - 1},
    {TableKind::dependencies, "dependencies", 64, limits::kDependenciesMax},
    {TableKind::metadata, "metadata", 32, kNoIndex - 1},
    {TableKind::creator_metadata, "creator_metadata", 32, kNoIndex - 1},
    {TableKind::placements, "placements", 8, limits::kAssetsMax},
    {TableKind::blocks, "blocks", 64, limits::kBlocksMax},
});

constexpr bool is_layout_table(TableKind kind) noexcept { return kind >= TableKind::placements; }

// The index of a kind in kTables; kTables.size() for one that this version does not know.
constexpr std::size_t table_slot(TableKind kind) noexcept {
    constexpr std::size_t kOfManifest = 15;
    const auto first = static_cast<std::size_t>(is_layout_table(kind) ? TableKind::placements : TableKind::strings);
    const std::size_t at = static_cast<std::size_t>(kind) - first;
    if (is_layout_table(kind))
        return at < kTables.size() - kOfManifest ? kOfManifest + at : kTables.size();
    return at < kOfManifest ? at : kTables.size();
}

// Bytes of one record, or 0 for a kind that this version does not know.
constexpr std::uint32_t record_bytes(TableKind kind) noexcept {
    const std::size_t slot = table_slot(kind);
    return slot < kTables.size() ? kTables[slot].record_bytes : 0;
}
constexpr std::string_view table_name(TableKind kind) noexcept {
    const std::size_t slot = table_slot(kind);
    return slot < kTables.size() ? kTables[slot].name : "unknown";
}

using StringRef = std::uint32_t;           // byte offset in the strings table
enum class AssetIndex : std::uint32_t {};  // record of the assets table
enum class NameIndex : std::uint32_t {};   // record of the names table

inline constexpr std::uint32_t kBundleSubject = 0xffff'ffffu;

struct AssetRecord {
    static constexpr TableKind kTable = TableKind::assets;
    AssetId id;
    std::uint64_t raw_bytes = 0;
    std::uint32_t piece_first = kNoIndex;  // first of its pieces in `pieces`, when it has more than one
    StringRef content_type = 0;
    std::uint32_t reference_first = 0;
    std::uint32_t reference_count = 0;
    std::uint32_t metadata_first = kNoIndex;
    std::uint8_t piece_log2 = limits::kBlockLog2;  // 16, or 18 for streamed types
    friend bool operator==(const AssetRecord&, const AssetRecord&) = default;

    // Number of pieces (and of blocks, when more than one); 0 for an empty asset.
    std::uint64_t piece_count() const noexcept { return (raw_bytes + (1ull << piece_log2) - 1) >> piece_log2; }
};

struct NameRecord {
    static constexpr TableKind kTable = TableKind::names;
    enum Flag : std::uint16_t { published = 1, tombstone = 2, has_variants = 4, extends = 8 };
    StringRef text = 0;
    std::uint32_t target = 0;  // an asset, or the first of `count` variants; 0 for a tombstone
    std::uint16_t count = 0;   // variants; 0 without
    std::uint16_t flags = 0;
    friend bool operator==(const NameRecord&, const NameRecord&) = default;

    bool is(Flag flag) const noexcept { return (flags & flag) != 0; }
};

// One line of a processor's cache.
struct NameBucketRecord {
    static constexpr TableKind kTable = TableKind::name_buckets;
    static constexpr std::size_t kSlots = 5;
    std::array<std::uint32_t, kSlots> hashes{};  // the high 32 bits; of slots not used all is 0
    std::uint8_t used = 0;                       // the first slots
    std::uint8_t spills = 0;                // 1: the first name of the next bucket belongs into this one, or one before
    std::array<StringRef, kSlots> texts{};  // of the names
    std::array<std::uint32_t, kSlots> names{};
    friend bool operator==(const NameBucketRecord&, const NameBucketRecord&) = default;
};

struct VariantRecord {
    static constexpr TableKind kTable = TableKind::variants;
    std::uint32_t asset = 0;
    std::uint32_t name = 0;  // whose variant it is
    std::uint32_t tag_first = 0;
    std::uint16_t tag_count = 0;
    friend bool operator==(const VariantRecord&, const VariantRecord&) = default;
};

// Of one variant sorted by axis, each axis once.
struct TagRecord {
    static constexpr TableKind kTable = TableKind::tags;
    StringRef axis = 0;
    StringRef value = 0;
    friend bool operator==(const TagRecord&, const TagRecord&) = default;
};

enum class ReferenceKind : std::uint16_t {
    internal = 1,  // static; target: asset of this bundle
    foreign = 2,   // static; target: record of foreign_assets
    dynamic = 3,   // target: StringRef of the name to resolve at run time
};

struct ReferenceRecord {
    static constexpr TableKind kTable = TableKind::references;
    enum Flag : std::uint16_t { optional = 1, named = 2 };
    StringRef spelling = 0;  // as the asset writes it
    ReferenceKind kind = ReferenceKind::internal;
    std::uint16_t flags = 0;
    std::uint32_t target = 0;
    StringRef name = 0;  // static and named: the target's name in its bundle, which may have other variants
    friend bool operator==(const ReferenceRecord&, const ReferenceRecord&) = default;
};

struct ForeignAssetRecord {
    static constexpr TableKind kTable = TableKind::foreign_assets;
    AssetId id;
    std::uint32_t dependency = 0;  // record of `dependencies`, a static one
    friend bool operator==(const ForeignAssetRecord&, const ForeignAssetRecord&) = default;
};

struct ConsumeRecord {
    static constexpr TableKind kTable = TableKind::consumes;
    enum Flag : std::uint32_t { optional = 1, pattern = 2 };
    StringRef text = 0;
    std::uint32_t flags = 0;
    friend bool operator==(const ConsumeRecord&, const ConsumeRecord&) = default;
};

struct DependencyRecord {
    static constexpr TableKind kTable = TableKind::dependencies;
    enum Flag : std::uint32_t { is_static = 1 };
    BundleId bundle;
    StringRef name = 0;  // for people; the id alone decides
    StringRef version = 0;
    std::uint32_t flags = 0;
    friend bool operator==(const DependencyRecord&, const DependencyRecord&) = default;
};

enum class MetadataKind : std::uint32_t {
    text = 1,     // value: StringRef
    number = 2,   // value: IEEE 754 binary64 bits; finite
    integer = 3,  // value: signed 64 bits
    boolean = 4,  // value: 0 or 1
};

struct MetadataRecord {
    static constexpr TableKind kTable = TableKind::metadata;  // and creator_metadata
    std::uint32_t subject = kBundleSubject;                   // asset, or the bundle
    StringRef key = 0;
    MetadataKind kind = MetadataKind::text;
    std::uint64_t value = 0;
    // What an integer is as a date: before 1970, the start of 1970.
    UnixTime date() const noexcept { return {value >> 63 != 0 ? 0 : value}; }
    friend bool operator==(const MetadataRecord&, const MetadataRecord&) = default;
};

// One per asset in the order of `assets`.
struct PlacementRecord {
    static constexpr TableKind kTable = TableKind::placements;
    std::uint32_t first_block = 0;
    std::uint32_t offset = 0;  // in that block's raw bytes; 0 unless the block is shared
    friend bool operator==(const PlacementRecord&, const PlacementRecord&) = default;
};

// What is done to a block's bytes before they are compressed. docs/bundle-format.md §7.
enum class Filter : std::uint8_t { none = 0, delta = 1, delta16 = 2, rgb = 3, delta4 = 4, delta8 = 5, shuffle4 = 6 };
inline constexpr Filter kFilters[] = {Filter::none,   Filter::delta,  Filter::delta16, Filter::rgb,
                                      Filter::delta4, Filter::delta8, Filter::shuffle4};

// How a block is stored. The low byte says what compresses it; the high byte is a Filter.
enum class Codec : std::uint16_t { raw = 0, zstd = 1, lz4 = 3 };  // 2 is reserved for zstd with a dictionary

constexpr Filter filter_of(Codec codec) noexcept { return static_cast<Filter>(static_cast<unsigned>(codec) >> 8); }
constexpr Codec without_filter(Codec codec) noexcept { return static_cast<Codec>(static_cast<unsigned>(codec) & 0xff); }
constexpr Codec with_filter(Codec codec, Filter filter) noexcept {
    return static_cast<Codec>(static_cast<unsigned>(without_filter(codec)) | static_cast<unsigned>(filter) << 8);
}
// Whether this version knows it. Raw blocks have no filter.
constexpr bool is_known(Codec codec) noexcept {
    const Codec compression = without_filter(codec);
    return codec == Codec::raw ||
           ((compression == Codec::zstd || compression == Codec::lz4) && filter_of(codec) <= Filter::shuffle4);
}

struct BlockRecord {
    static constexpr TableKind kTable = TableKind::blocks;
    Hash stored_hash;                 // BLAKE3-256 of the stored bytes
    std::uint64_t stored_offset = 0;  // from the start of the block section
    std::uint32_t stored_bytes = 0;
    std::uint32_t raw_bytes = 0;
    Codec codec = Codec::raw;
    friend bool operator==(const BlockRecord&, const BlockRecord&) = default;
};

// The records above, each of record_bytes(Record::kTable) bytes.
// Errors of decode: malformed (wrong length, reserved bytes not zero, unknown kind), unsupported (unknown codec),
// limit.
template <class Record>
void encode_record(const Record& record, std::vector<std::byte>& out);  // appends
template <class Record>
Result<Record> decode_record(std::span<const std::byte> bytes);

}  // namespace fardel
