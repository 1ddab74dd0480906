#include <fardel/format/manifest.h>

#include "files/bytes.h"

#include <algorithm>
#include <cmath>

namespace fardel {
namespace {

// Appends fields in the order of their bytes.
class RecordFieldWriter {
public:
    explicit RecordFieldWriter(std::vector<std::byte>& out) : out_(out) {}

    template <std::unsigned_integral T>
    RecordFieldWriter& put(T value) {
        append_le(out_, value);
        return *this;
    }
    template <class Tag>
    RecordFieldWriter& put(const Id32<Tag>& id) {
        const auto* bytes = reinterpret_cast<const std::byte*>(id.bytes.data());
        out_.insert(out_.end(), bytes, bytes + id.bytes.size());
        return *this;
    }
    RecordFieldWriter& zeros(std::size_t count) {
        out_.resize(out_.size() + count);
        return *this;
    }

private:
    std::vector<std::byte>& out_;
};

// Takes fields in the order of their bytes, from a record whose length is already right.
class RecordFieldReader {
public:
    explicit RecordFieldReader(const std::byte* at) : at_(at) {}

    template <std::unsigned_integral T>
    T take() noexcept {
        const T value = load_le<T>(at_);
        at_ += sizeof(T);
        return value;
    }
    template <class Tag>
    void take(Id32<Tag>& id) noexcept {
        std::memcpy(id.bytes.data(), at_, id.bytes.size());
        at_ += id.bytes.size();
    }
    bool zeros(std::size_t count) noexcept {
        const bool zero = std::all_of(at_, at_ + count, [](std::byte b) { return b == std::byte{0}; });
        at_ += count;
        return zero;
    }

private:
    const std::byte* at_;
};

Error malformed(TableKind kind, const char* what) {
    return Error(ErrorCode::malformed, std::string(table_name(kind)) + " record: " + what);
}

Status verify_length(TableKind kind, std::span<const std::byte> bytes) {
    if (bytes.size() == record_bytes(kind))
        return ok();
    return Error(ErrorCode::malformed, std::string(table_name(kind)) + " record: " + std::to_string(bytes.size()) +
                                           " bytes, expected " + std::to_string(record_bytes(kind)));
}

constexpr const char* kReserved = "a reserved byte is not zero";

}  // namespace

std::uint32_t record_bytes(TableKind kind) noexcept {
    switch (kind) {
        using enum TableKind;
        case strings: return 1;
        case asset_buckets:
        case name_filters: return 4;
        case tags:
        case consumes:
        case placements: return 8;
        case names:
        case variants:
        case references: return 16;
        case pieces:
        case metadata:
        case creator_metadata: return 32;
        case assets:
        case name_buckets:
        case foreign_assets:
        case dependencies:
        case blocks: return 64;
    }
    return 0;
}

std::string_view table_name(TableKind kind) noexcept {
    switch (kind) {
        using enum TableKind;
        case strings: return "strings";
        case assets: return "assets";
        case asset_buckets: return "asset_buckets";
        case names: return "names";
        case name_buckets: return "name_buckets";
        case name_filters: return "name_filters";
        case pieces: return "pieces";
        case variants: return "variants";
        case tags: return "tags";
        case references: return "references";
        case foreign_assets: return "foreign_assets";
        case consumes: return "consumes";
        case dependencies: return "dependencies";
        case metadata: return "metadata";
        case creator_metadata: return "creator_metadata";
        case placements: return "placements";
        case blocks: return "blocks";
    }
    return "unknown";
}

void encode_record(const AssetRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out)
        .put(r.id)
        .put(r.raw_bytes)
        .put(r.piece_first)
        .put(r.content_type)
        .put(r.reference_first)
        .put(r.reference_count)
        .put(r.metadata_first)
        .put(r.piece_log2)
        .zeros(3);
}

template <>
Result<AssetRecord> decode_record(std::span<const std::byte> bytes) {
    using enum TableKind;
    FARDEL_TRY(verify_length(assets, bytes));
    RecordFieldReader in(bytes.data());
    AssetRecord r;
    in.take(r.id);
    r.raw_bytes = in.take<std::uint64_t>();
    r.piece_first = in.take<std::uint32_t>();
    r.content_type = in.take<std::uint32_t>();
    r.reference_first = in.take<std::uint32_t>();
    r.reference_count = in.take<std::uint32_t>();
    r.metadata_first = in.take<std::uint32_t>();
    r.piece_log2 = in.take<std::uint8_t>();
    if (!in.zeros(3))
        return malformed(assets, kReserved);
    if (r.piece_log2 != limits::kBlockLog2 && r.piece_log2 != limits::kStreamBlockLog2)
        return malformed(assets, "piece size is neither 2^16 nor 2^18");
    if (r.raw_bytes > limits::kAssetBytesMax)
        return Error(ErrorCode::limit, "assets record: larger than an asset may be");
    if ((r.piece_count() > 1) != (r.piece_first != kNoIndex))
        return malformed(assets, "first piece and number of pieces contradict each other");
    if (r.reference_count > limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit, "assets record: more references than an asset may have");
    if (r.reference_count == 0 && r.reference_first != 0)
        return malformed(assets, "first reference without references");
    return r;
}

void encode_record(const NameRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out).put(r.text).put(r.target).put(r.count).put(r.flags).zeros(4);
}

template <>
Result<NameRecord> decode_record(std::span<const std::byte> bytes) {
    using enum TableKind;
    FARDEL_TRY(verify_length(names, bytes));
    RecordFieldReader in(bytes.data());
    NameRecord r;
    r.text = in.take<std::uint32_t>();
    r.target = in.take<std::uint32_t>();
    r.count = in.take<std::uint16_t>();
    r.flags = in.take<std::uint16_t>();
    if (!in.zeros(4))
        return malformed(names, kReserved);
    constexpr std::uint16_t kKnownFlags =
        NameRecord::published | NameRecord::tombstone | NameRecord::has_variants | NameRecord::extends;
    if ((r.flags & ~kKnownFlags) != 0)
        return malformed(names, "unknown flag");
    if (r.is(NameRecord::has_variants) != (r.count > 0))
        return malformed(names, "number of variants and flag contradict each other");
    if (r.count > limits::kVariantsPerNameMax)
        return Error(ErrorCode::limit, "names record: more variants than a name may have");
    if (r.is(NameRecord::extends) && !r.is(NameRecord::has_variants))
        return malformed(names, "extends a name without variants");
    if (r.is(NameRecord::tombstone) && (r.flags != (NameRecord::published | NameRecord::tombstone) || r.target != 0))
        return malformed(names, "a tombstone with an asset or without being published");
    return r;
}

void encode_record(const NameBucketRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter fields(out);
    for (const std::uint32_t hash : r.hashes)
        fields.put(hash);
    fields.put(r.used).put(r.spills).put(std::uint16_t{0});
    for (const StringRef text : r.texts)
        fields.put(text);
    for (const std::uint32_t name : r.names)
        fields.put(name);
}

template <>
Result<NameBucketRecord> decode_record(std::span<const std::byte> bytes) {
    using enum TableKind;
    FARDEL_TRY(verify_length(name_buckets, bytes));
    RecordFieldReader in(bytes.data());
    NameBucketRecord r;
    for (std::uint32_t& hash : r.hashes)
        hash = in.take<std::uint32_t>();
    r.used = in.take<std::uint8_t>();
    r.spills = in.take<std::uint8_t>();
    const auto reserved = in.take<std::uint16_t>();
    for (StringRef& text : r.texts)
        text = in.take<std::uint32_t>();
    for (std::uint32_t& name : r.names)
        name = in.take<std::uint32_t>();
    if (reserved != 0)
        return malformed(name_buckets, kReserved);
    if (r.used > NameBucketRecord::kSlots)
        return malformed(name_buckets, "more slots in use than there are");
    if (r.spills > 1)
        return malformed(name_buckets, "unknown flag");
    for (std::size_t i = r.used; i < NameBucketRecord::kSlots; ++i)
        if ((r.hashes[i] | r.texts[i] | r.names[i]) != 0)
            return malformed(name_buckets, "a slot that is not used is not zero");
    return r;
}

void encode_record(const VariantRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out).put(r.asset).put(r.name).put(r.tag_first).put(r.tag_count).zeros(2);
}

template <>
Result<VariantRecord> decode_record(std::span<const std::byte> bytes) {
    FARDEL_TRY(verify_length(TableKind::variants, bytes));
    RecordFieldReader in(bytes.data());
    VariantRecord r;
    r.asset = in.take<std::uint32_t>();
    r.name = in.take<std::uint32_t>();
    r.tag_first = in.take<std::uint32_t>();
    r.tag_count = in.take<std::uint16_t>();
    if (!in.zeros(2))
        return malformed(TableKind::variants, kReserved);
    if (r.tag_count > limits::kTagsPerVariantMax)
        return Error(ErrorCode::limit, "variants record: more tags than a variant may have");
    return r;
}

void encode_record(const TagRecord& r, std::vector<std::byte>& out) { RecordFieldWriter(out).put(r.axis).put(r.value); }

template <>
Result<TagRecord> decode_record(std::span<const std::byte> bytes) {
    FARDEL_TRY(verify_length(TableKind::tags, bytes));
    RecordFieldReader in(bytes.data());
    TagRecord r;
    r.axis = in.take<std::uint32_t>();
    r.value = in.take<std::uint32_t>();
    return r;
}

void encode_record(const ReferenceRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out).put(r.spelling).put(static_cast<std::uint16_t>(r.kind)).put(r.flags).put(r.target).zeros(4);
}

template <>
Result<ReferenceRecord> decode_record(std::span<const std::byte> bytes) {
    using enum TableKind;
    FARDEL_TRY(verify_length(references, bytes));
    RecordFieldReader in(bytes.data());
    ReferenceRecord r;
    r.spelling = in.take<std::uint32_t>();
    const auto kind = in.take<std::uint16_t>();
    r.flags = in.take<std::uint16_t>();
    r.target = in.take<std::uint32_t>();
    if (!in.zeros(4))
        return malformed(references, kReserved);
    if (kind < 1 || kind > 3)
        return malformed(references, "unknown kind");
    if ((r.flags & ~ReferenceRecord::optional) != 0)
        return malformed(references, "unknown flag");
    r.kind = static_cast<ReferenceKind>(kind);
    return r;
}

void encode_record(const ForeignAssetRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out).put(r.id).put(r.dependency).zeros(28);
}

template <>
Result<ForeignAssetRecord> decode_record(std::span<const std::byte> bytes) {
    FARDEL_TRY(verify_length(TableKind::foreign_assets, bytes));
    RecordFieldReader in(bytes.data());
    ForeignAssetRecord r;
    in.take(r.id);
    r.dependency = in.take<std::uint32_t>();
    if (!in.zeros(28))
        return malformed(TableKind::foreign_assets, kReserved);
    return r;
}

void encode_record(const ConsumeRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out).put(r.text).put(r.flags);
}

template <>
Result<ConsumeRecord> decode_record(std::span<const std::byte> bytes) {
    FARDEL_TRY(verify_length(TableKind::consumes, bytes));
    RecordFieldReader in(bytes.data());
    ConsumeRecord r;
    r.text = in.take<std::uint32_t>();
    r.flags = in.take<std::uint32_t>();
    if ((r.flags & ~(ConsumeRecord::optional | ConsumeRecord::pattern)) != 0)
        return malformed(TableKind::consumes, "unknown flag");
    return r;
}

void encode_record(const DependencyRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out).put(r.bundle).put(r.name).put(r.version).put(r.flags).zeros(20);
}

template <>
Result<DependencyRecord> decode_record(std::span<const std::byte> bytes) {
    using enum TableKind;
    FARDEL_TRY(verify_length(dependencies, bytes));
    RecordFieldReader in(bytes.data());
    DependencyRecord r;
    in.take(r.bundle);
    r.name = in.take<std::uint32_t>();
    r.version = in.take<std::uint32_t>();
    r.flags = in.take<std::uint32_t>();
    if (!in.zeros(20))
        return malformed(dependencies, kReserved);
    if ((r.flags & ~DependencyRecord::is_static) != 0)
        return malformed(dependencies, "unknown flag");
    return r;
}

void encode_record(const MetadataRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out)
        .put(r.subject)
        .put(r.key)
        .put(static_cast<std::uint32_t>(r.kind))
        .zeros(4)
        .put(r.value)
        .zeros(8);
}

template <>
Result<MetadataRecord> decode_record(std::span<const std::byte> bytes) {
    using enum TableKind;
    FARDEL_TRY(verify_length(metadata, bytes));
    RecordFieldReader in(bytes.data());
    MetadataRecord r;
    r.subject = in.take<std::uint32_t>();
    r.key = in.take<std::uint32_t>();
    const auto kind = in.take<std::uint32_t>();
    bool reserved = in.zeros(4);
    r.value = in.take<std::uint64_t>();
    reserved = in.zeros(8) && reserved;
    if (!reserved)
        return malformed(metadata, kReserved);
    if (kind < 1 || kind > 4)
        return malformed(metadata, "unknown kind");
    r.kind = static_cast<MetadataKind>(kind);
    if (r.kind == MetadataKind::text && r.value > limits::kStringsBytesMax)
        return malformed(metadata, "text is not a string");
    if (r.kind == MetadataKind::boolean && r.value > 1)
        return malformed(metadata, "a boolean that is neither 0 nor 1");
    if (r.kind == MetadataKind::number) {
        const double number = std::bit_cast<double>(r.value);
        if (!std::isfinite(number) || (number == 0 && std::signbit(number)))
            return malformed(metadata, "a number that is not finite, or negative zero");
    }
    return r;
}

void encode_record(const PlacementRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out).put(r.first_block).put(r.offset);
}

template <>
Result<PlacementRecord> decode_record(std::span<const std::byte> bytes) {
    FARDEL_TRY(verify_length(TableKind::placements, bytes));
    RecordFieldReader in(bytes.data());
    PlacementRecord r;
    r.first_block = in.take<std::uint32_t>();
    r.offset = in.take<std::uint32_t>();
    return r;
}

void encode_record(const BlockRecord& r, std::vector<std::byte>& out) {
    RecordFieldWriter(out)
        .put(r.stored_hash)
        .put(r.stored_offset)
        .put(r.stored_bytes)
        .put(r.raw_bytes)
        .put(static_cast<std::uint16_t>(r.codec))
        .zeros(14);
}

template <>
Result<BlockRecord> decode_record(std::span<const std::byte> bytes) {
    using enum TableKind;
    FARDEL_TRY(verify_length(blocks, bytes));
    RecordFieldReader in(bytes.data());
    BlockRecord r;
    in.take(r.stored_hash);
    r.stored_offset = in.take<std::uint64_t>();
    r.stored_bytes = in.take<std::uint32_t>();
    r.raw_bytes = in.take<std::uint32_t>();
    const auto codec = in.take<std::uint16_t>();
    if (!in.zeros(14))
        return malformed(blocks, kReserved);
    if (codec > static_cast<std::uint16_t>(Codec::zstd))
        return Error(ErrorCode::unsupported,
                     "blocks record: codec " + std::to_string(codec) + " is not known to this version");
    r.codec = static_cast<Codec>(codec);
    if (r.raw_bytes == 0 || r.raw_bytes > limits::kBlockBytesMax)
        return malformed(blocks, "raw size is 0 or above 262144");
    if (r.codec == Codec::raw ? r.stored_bytes != r.raw_bytes : (r.stored_bytes == 0 || r.stored_bytes >= r.raw_bytes))
        return malformed(blocks, "stored size does not go with the codec");
    return r;
}

}  // namespace fardel
