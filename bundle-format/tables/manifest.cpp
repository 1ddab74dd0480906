#include <fardel/format/manifest.h>

#include <fardel/base/little_endian.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>

namespace fardel {
namespace {

static_assert(std::ranges::all_of(kTables, [](const TableTraits& table) {
    return kTables[table_slot(table.kind)].kind == table.kind;
}));

class FieldEncoder {
public:
    explicit FieldEncoder(std::vector<std::byte>& out) : out_(out) {}

    template <std::unsigned_integral T>
    void operator()(T value) {
        append_le(out_, value);
    }
    template <class T>
    requires std::is_enum_v<T>
    void operator()(T value) { append_le(out_, static_cast<std::underlying_type_t<T>>(value)); }
    template <class T, std::size_t N>
    void operator()(const std::array<T, N>& values) {
        for (const T value : values)
            append_le(out_, value);
    }
    template <class Kind>
    void operator()(const Id32<Kind>& id) {
        const auto* bytes = reinterpret_cast<const std::byte*>(id.bytes.data());
        out_.insert(out_.end(), bytes, bytes + id.bytes.size());
    }
    void zeros(std::size_t count) { out_.resize(out_.size() + count); }

private:
    std::vector<std::byte>& out_;
};

// Decodes the fields of a record whose length is right.
class FieldDecoder {
public:
    explicit FieldDecoder(const std::byte* at) : at_(at) {}

    template <std::unsigned_integral T>
    void operator()(T& value) noexcept {
        value = load_le<T>(at_);
        at_ += sizeof(T);
    }
    template <class T>
    requires std::is_enum_v<T>
    void operator()(T& value) noexcept {
        std::underlying_type_t<T> number;
        (*this)(number);
        value = static_cast<T>(number);
    }
    template <class T, std::size_t N>
    void operator()(std::array<T, N>& values) noexcept {
        for (T& value : values)
            (*this)(value);
    }
    template <class Kind>
    void operator()(Id32<Kind>& id) noexcept {
        std::memcpy(id.bytes.data(), at_, id.bytes.size());
        at_ += id.bytes.size();
    }
    void zeros(std::size_t count) noexcept {
        // One byte string for one meaning: a reserved byte that is not zero is refused, and so can get a meaning later.
        reserved_are_zero_ &= std::all_of(at_, at_ + count, [](std::byte b) { return b == std::byte{0}; });
        at_ += count;
    }

    bool reserved_are_zero() const noexcept { return reserved_are_zero_; }

private:
    const std::byte* at_;
    bool reserved_are_zero_ = true;
};

// ---- The fields of each record, in the order of their bytes ---------------------------------------------------------

template <class T, class Record>
concept RecordOf = std::same_as<std::remove_const_t<T>, Record>;

void visit_fields(auto& f, RecordOf<AssetRecord> auto& r) {
    f(r.id);
    f(r.raw_bytes);
    f(r.piece_first);
    f(r.content_type);
    f(r.reference_first);
    f(r.reference_count);
    f(r.metadata_first);
    f(r.piece_log2);
    f.zeros(3);
}

void visit_fields(auto& f, RecordOf<NameRecord> auto& r) {
    f(r.text);
    f(r.target);
    f(r.count);
    f(r.flags);
    f.zeros(4);
}

void visit_fields(auto& f, RecordOf<NameBucketRecord> auto& r) {
    f(r.hashes);
    f(r.used);
    f(r.spills);
    f.zeros(2);
    f(r.texts);
    f(r.names);
}

void visit_fields(auto& f, RecordOf<VariantRecord> auto& r) {
    f(r.asset);
    f(r.name);
    f(r.tag_first);
    f(r.tag_count);
    f.zeros(2);
}

void visit_fields(auto& f, RecordOf<TagRecord> auto& r) {
    f(r.axis);
    f(r.value);
}

void visit_fields(auto& f, RecordOf<ReferenceRecord> auto& r) {
    f(r.spelling);
    f(r.kind);
    f(r.flags);
    f(r.target);
    f(r.name);
}

void visit_fields(auto& f, RecordOf<ForeignAssetRecord> auto& r) {
    f(r.id);
    f(r.dependency);
    f.zeros(28);
}

void visit_fields(auto& f, RecordOf<ConsumeRecord> auto& r) {
    f(r.text);
    f(r.flags);
}

void visit_fields(auto& f, RecordOf<DependencyRecord> auto& r) {
    f(r.bundle);
    f(r.name);
    f(r.version);
    f(r.flags);
    f.zeros(20);
}

void visit_fields(auto& f, RecordOf<MetadataRecord> auto& r) {
    f(r.subject);
    f(r.key);
    f(r.kind);
    f.zeros(4);
    f(r.value);
    f.zeros(8);
}

void visit_fields(auto& f, RecordOf<PlacementRecord> auto& r) {
    f(r.first_block);
    f(r.offset);
}

void visit_fields(auto& f, RecordOf<BlockRecord> auto& r) {
    f(r.stored_hash);
    f(r.stored_offset);
    f(r.stored_bytes);
    f(r.raw_bytes);
    f(r.codec);
    f.zeros(14);
}

// ---- Checks of single records ---------------------------------------------------------------------------------------

Error malformed(TableKind kind, std::string_view what) {
    return Error(ErrorCode::malformed, std::string(table_name(kind)) + " record: " + std::string(what));
}

Status verify(const AssetRecord& r) {
    if (r.piece_log2 != limits::kBlockLog2 && r.piece_log2 != limits::kStreamBlockLog2)
        return malformed(AssetRecord::kTable, "piece size is neither 2^16 nor 2^18");
    if (r.raw_bytes > limits::kAssetBytesMax)
        return Error(ErrorCode::limit, "assets record: larger than an asset may be");
    // An asset of one piece has no entry among the pieces: its id is the hash of that piece.
    if ((r.piece_count() > 1) != (r.piece_first != kNoIndex))
        return malformed(AssetRecord::kTable, "first piece and number of pieces contradict each other");
    if (r.reference_count > limits::kReferencesPerAssetMax)
        return Error(ErrorCode::limit, "assets record: more references than an asset may have");
    if (r.reference_count == 0 && r.reference_first != 0)
        return malformed(AssetRecord::kTable, "first reference without references");
    return ok();
}

Status verify(const NameRecord& r) {
    constexpr std::uint16_t kKnownFlags =
        NameRecord::published | NameRecord::tombstone | NameRecord::has_variants | NameRecord::extends;
    if ((r.flags & ~kKnownFlags) != 0)
        return malformed(NameRecord::kTable, "unknown flag");
    if (r.is(NameRecord::has_variants) != (r.count > 0))
        return malformed(NameRecord::kTable, "number of variants and flag contradict each other");
    if (r.count > limits::kVariantsPerNameMax)
        return Error(ErrorCode::limit, "names record: more variants than a name may have");
    if (r.is(NameRecord::extends) && !r.is(NameRecord::has_variants))
        return malformed(NameRecord::kTable, "extends a name without variants");
    if (r.is(NameRecord::tombstone) && (r.flags != (NameRecord::published | NameRecord::tombstone) || r.target != 0))
        return malformed(NameRecord::kTable, "a tombstone with an asset or without being published");
    return ok();
}

Status verify(const NameBucketRecord& r) {
    if (r.used > NameBucketRecord::kSlots)
        return malformed(NameBucketRecord::kTable, "more slots in use than there are");
    if (r.spills > 1)
        return malformed(NameBucketRecord::kTable, "unknown flag");
    for (std::size_t i = r.used; i < NameBucketRecord::kSlots; ++i)
        if ((r.hashes[i] | r.texts[i] | r.names[i]) != 0)
            return malformed(NameBucketRecord::kTable, "a slot that is not used is not zero");
    return ok();
}

Status verify(const VariantRecord& r) {
    if (r.tag_count > limits::kTagsPerVariantMax)
        return Error(ErrorCode::limit, "variants record: more tags than a variant may have");
    return ok();
}

Status verify(const TagRecord&) { return ok(); }

Status verify(const ReferenceRecord& r) {
    if (r.kind < ReferenceKind::internal || r.kind > ReferenceKind::dynamic)
        return malformed(ReferenceRecord::kTable, "unknown kind");
    if ((r.flags & ~(ReferenceRecord::optional | ReferenceRecord::named)) != 0)
        return malformed(ReferenceRecord::kTable, "unknown flag");
    const bool named = (r.flags & ReferenceRecord::named) != 0;
    if (named ? r.kind == ReferenceKind::dynamic : r.name != 0)
        return malformed(ReferenceRecord::kTable, "a target's name in a record that has none");
    return ok();
}

Status verify(const ForeignAssetRecord&) { return ok(); }

Status verify(const ConsumeRecord& r) {
    if ((r.flags & ~(ConsumeRecord::optional | ConsumeRecord::pattern)) != 0)
        return malformed(ConsumeRecord::kTable, "unknown flag");
    return ok();
}

Status verify(const DependencyRecord& r) {
    if ((r.flags & ~DependencyRecord::is_static) != 0)
        return malformed(DependencyRecord::kTable, "unknown flag");
    return ok();
}

Status verify(const MetadataRecord& r) {
    if (r.kind < MetadataKind::text || r.kind > MetadataKind::boolean)
        return malformed(MetadataRecord::kTable, "unknown kind");
    if (r.kind == MetadataKind::text && r.value > limits::kStringsBytesMax)
        return malformed(MetadataRecord::kTable, "text is not a string");
    if (r.kind == MetadataKind::boolean && r.value > 1)
        return malformed(MetadataRecord::kTable, "a boolean that is neither 0 nor 1");
    if (r.kind == MetadataKind::number) {
        const double number = std::bit_cast<double>(r.value);
        // NaN has many forms and zero two, which would be two byte strings for one meaning.
        if (!std::isfinite(number) || (number == 0 && std::signbit(number)))
            return malformed(MetadataRecord::kTable, "a number that is not finite, or negative zero");
    }
    return ok();
}

Status verify(const PlacementRecord&) { return ok(); }

Status verify(const BlockRecord& r) {
    if (!is_known(r.codec))
        return Error(ErrorCode::unsupported, "blocks record: codec " + std::to_string(static_cast<unsigned>(r.codec)) +
                                                 " is not known to this version");
    if (r.raw_bytes == 0 || r.raw_bytes > limits::kBlockBytesMax)
        return malformed(BlockRecord::kTable, "raw size is 0 or above 262144");
    // A block that compression would not make smaller is stored raw, so sizes bound each other whatever the codec.
    if (r.codec == Codec::raw ? r.stored_bytes != r.raw_bytes : (r.stored_bytes == 0 || r.stored_bytes >= r.raw_bytes))
        return malformed(BlockRecord::kTable, "stored size does not go with the codec");
    return ok();
}

}  // namespace

template <class Record>
void encode_record(const Record& record, std::vector<std::byte>& out) {
    FieldEncoder fields(out);
    visit_fields(fields, record);
}

template <class Record>
Result<Record> decode_record(std::span<const std::byte> bytes) {
    constexpr std::uint32_t kBytes = record_bytes(Record::kTable);
    // The only object that is returned, so that nothing is copied: a copy would wait for the stores of the fields, and
    // each look-up decodes two records.
    Result<Record> record{Record()};
    if (bytes.size() != kBytes) {
        record = malformed(Record::kTable, std::to_string(bytes.size()) + " bytes, expected " + std::to_string(kBytes));
        return record;
    }
    FieldDecoder fields(bytes.data());
    visit_fields(fields, *record);
    if (!fields.reserved_are_zero())
        record = malformed(Record::kTable, "a reserved byte is not zero");
    else if (auto good = verify(*record); !good)
        record = std::move(good).error();
    return record;
}

template void encode_record(const AssetRecord&, std::vector<std::byte>&);
template Result<AssetRecord> decode_record(std::span<const std::byte>);
template void encode_record(const NameRecord&, std::vector<std::byte>&);
template Result<NameRecord> decode_record(std::span<const std::byte>);
template void encode_record(const NameBucketRecord&, std::vector<std::byte>&);
template Result<NameBucketRecord> decode_record(std::span<const std::byte>);
template void encode_record(const VariantRecord&, std::vector<std::byte>&);
template Result<VariantRecord> decode_record(std::span<const std::byte>);
template void encode_record(const TagRecord&, std::vector<std::byte>&);
template Result<TagRecord> decode_record(std::span<const std::byte>);
template void encode_record(const ReferenceRecord&, std::vector<std::byte>&);
template Result<ReferenceRecord> decode_record(std::span<const std::byte>);
template void encode_record(const ForeignAssetRecord&, std::vector<std::byte>&);
template Result<ForeignAssetRecord> decode_record(std::span<const std::byte>);
template void encode_record(const ConsumeRecord&, std::vector<std::byte>&);
template Result<ConsumeRecord> decode_record(std::span<const std::byte>);
template void encode_record(const DependencyRecord&, std::vector<std::byte>&);
template Result<DependencyRecord> decode_record(std::span<const std::byte>);
template void encode_record(const MetadataRecord&, std::vector<std::byte>&);
template Result<MetadataRecord> decode_record(std::span<const std::byte>);
template void encode_record(const PlacementRecord&, std::vector<std::byte>&);
template Result<PlacementRecord> decode_record(std::span<const std::byte>);
template void encode_record(const BlockRecord&, std::vector<std::byte>&);
template Result<BlockRecord> decode_record(std::span<const std::byte>);

}  // namespace fardel
