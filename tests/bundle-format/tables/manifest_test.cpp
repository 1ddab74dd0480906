#include <fardel/format/manifest.h>

#include "bundle-format/document_vectors.h"
#include "kit/record_family.h"

#include <limits>

namespace fardel::tests::manifest_test {

template <class Id>
Id counting_id(std::uint8_t first) {
    Id id;
    for (std::size_t i = 0; i < id.bytes.size(); ++i)
        id.bytes[i] = static_cast<std::uint8_t>(first + i);
    return id;
}

template <class Record>
Bytes encode(const Record& record) {
    Bytes out;
    encode_record(record, out);
    return out;
}

template <class Record>
ErrorCode refusal(const Record& record) {
    const auto read = decode_record<Record>(encode(record));
    REQUIRE_FALSE(read);
    return read.error().code();
}

template <class Record>
bool accepted(const Record& record) {
    const auto read = decode_record<Record>(encode(record));
    return read && *read == record;
}

template <class Record>
void check_family(TableKind kind, const char* vector, const Record& record) {
    CAPTURE(vector);
    const auto vectors = fardel::tests::read_document_vectors("bundle-format.md");
    const auto golden = vectors.find(vector);
    REQUIRE(golden != vectors.end());
    CHECK(golden->second.size() == record_bytes(kind));
    fardel::tests::check_record_family(record, golden->second, encode<Record>, decode_record<Record>);
}

const AssetRecord kAsset{.id = counting_id<AssetId>(0x10),
                         .raw_bytes = 0x10001,
                         .piece_first = 7,
                         .content_type = 0x40,
                         .reference_first = 3,
                         .reference_count = 2,
                         .metadata_first = 5,
                         .piece_log2 = 16};
const NameRecord kName{.text = 0x11223344,
                       .target = 9,
                       .count = 2,
                       .flags = NameRecord::published | NameRecord::has_variants | NameRecord::extends};
const BlockRecord kBlock{.stored_hash = counting_id<Hash>(0x40),
                         .stored_offset = 8192,
                         .stored_bytes = 1000,
                         .raw_bytes = 65536,
                         .codec = Codec::zstd};

MetadataRecord number(double value) {
    return {.subject = 6, .key = 0x88, .kind = MetadataKind::number, .value = std::bit_cast<std::uint64_t>(value)};
}

TEST_CASE("manifest: every record has the bytes of the document and only one encoding") {  // A20, A21, A31
    check_family(TableKind::assets, "asset", kAsset);
    check_family(TableKind::names, "name", kName);
    check_family(TableKind::name_buckets, "name_bucket",
                 NameBucketRecord{.hashes = {0x01020304, 0x05060708},
                                  .used = 2,
                                  .spills = 1,
                                  .texts = {0x11223344, 0x21222324},
                                  .names = {0x0a0b0c0d, 0x0e0f1011}});
    check_family(TableKind::variants, "variant", VariantRecord{.asset = 1, .name = 2, .tag_first = 3, .tag_count = 2});
    check_family(TableKind::tags, "tag", TagRecord{.axis = 0x21, .value = 0x32});
    check_family(
        TableKind::references, "reference",
        ReferenceRecord{
            .spelling = 0x55, .kind = ReferenceKind::dynamic, .flags = ReferenceRecord::optional, .target = 0x66});
    check_family(TableKind::foreign_assets, "foreign_asset",
                 ForeignAssetRecord{.id = counting_id<AssetId>(0x20), .dependency = 4});
    check_family(TableKind::consumes, "consume", ConsumeRecord{.text = 0x77, .flags = 3});
    check_family(TableKind::dependencies, "dependency",
                 DependencyRecord{.bundle = counting_id<BundleId>(0x30), .name = 0x12, .version = 0x34, .flags = 1});
    check_family(TableKind::metadata, "metadata", number(1.5));
    check_family(TableKind::placements, "placement", PlacementRecord{.first_block = 12, .offset = 345});
    check_family(TableKind::blocks, "block", kBlock);
}

TEST_CASE("manifest: a record can be read from any address") {  // A31
    Bytes shifted{std::byte{0}};
    encode_record(kAsset, shifted);
    CHECK(decode_record<AssetRecord>(std::span<const std::byte>(shifted).subspan(1)).value() == kAsset);
}

TEST_CASE("manifest: an asset's sizes meet their limits") {  // A24, A29
    AssetRecord at_limit = kAsset;
    at_limit.raw_bytes = limits::kAssetBytesMax;
    CHECK(accepted(at_limit));
    at_limit.raw_bytes += 1;
    CHECK(refusal(at_limit) == ErrorCode::limit);
    at_limit.raw_bytes = std::numeric_limits<std::uint64_t>::max();
    CHECK(refusal(at_limit) == ErrorCode::limit);

    AssetRecord references = kAsset;
    references.reference_count = limits::kReferencesPerAssetMax;
    CHECK(accepted(references));
    references.reference_count += 1;
    CHECK(refusal(references) == ErrorCode::limit);
}

TEST_CASE("manifest: an asset has a first piece exactly when it has more than one") {  // A29
    AssetRecord asset = kAsset;
    for (const std::uint64_t bytes : {0ull, 1ull, 65535ull, 65536ull}) {
        asset.raw_bytes = bytes;
        asset.piece_first = kNoIndex;
        CHECK(accepted(asset));
        asset.piece_first = 0;
        CHECK(refusal(asset) == ErrorCode::malformed);
    }
    asset.raw_bytes = 65537;
    asset.piece_first = 0;
    CHECK(accepted(asset));
    asset.piece_log2 = 18;
    CHECK(refusal(asset) == ErrorCode::malformed);
    asset.piece_first = kNoIndex;
    CHECK(accepted(asset));
    asset.piece_log2 = 17;
    CHECK(refusal(asset) == ErrorCode::malformed);
}

TEST_CASE("manifest: piece counts do not overflow") {  // A24
    CHECK(AssetRecord{.raw_bytes = 0}.piece_count() == 0);
    CHECK(AssetRecord{.raw_bytes = 65536}.piece_count() == 1);
    CHECK(AssetRecord{.raw_bytes = 65537}.piece_count() == 2);
    CHECK(AssetRecord{.raw_bytes = limits::kAssetBytesMax}.piece_count() == limits::kAssetBytesMax >> 16);
}

TEST_CASE("manifest: an asset without references has no first reference") {
    AssetRecord asset = kAsset;
    asset.reference_count = 0;
    CHECK(refusal(asset) == ErrorCode::malformed);
    asset.reference_first = 0;
    CHECK(accepted(asset));
}

TEST_CASE("manifest: a name's flags and variants agree") {
    NameRecord name = kName;
    name.count = limits::kVariantsPerNameMax;
    CHECK(accepted(name));
    name.count += 1;
    CHECK(refusal(name) == ErrorCode::limit);
    name.count = 0;
    CHECK(refusal(name) == ErrorCode::malformed);
    name.flags = NameRecord::published;
    CHECK(accepted(name));
    name.flags = NameRecord::published | NameRecord::extends;
    CHECK(refusal(name) == ErrorCode::malformed);
    name.flags = 16;
    CHECK(refusal(name) == ErrorCode::malformed);
}

TEST_CASE("manifest: a tombstone is published and has no asset") {
    NameRecord name{.text = 4, .flags = NameRecord::published | NameRecord::tombstone};
    CHECK(accepted(name));
    name.target = 1;
    CHECK(refusal(name) == ErrorCode::malformed);
    name.target = 0;
    name.flags = NameRecord::tombstone;
    CHECK(refusal(name) == ErrorCode::malformed);
}

TEST_CASE("manifest: a variant has at most 16 tags") {
    VariantRecord variant{.tag_count = limits::kTagsPerVariantMax};
    CHECK(accepted(variant));
    variant.tag_count += 1;
    CHECK(refusal(variant) == ErrorCode::limit);
}

TEST_CASE("manifest: metadata numbers are finite, and negative zero is refused") {
    CHECK(accepted(number(0.0)));
    CHECK(accepted(number(-1e300)));
    CHECK(refusal(number(-0.0)) == ErrorCode::malformed);
    CHECK(refusal(number(std::numeric_limits<double>::infinity())) == ErrorCode::malformed);
    CHECK(refusal(number(std::numeric_limits<double>::quiet_NaN())) == ErrorCode::malformed);
}

TEST_CASE("manifest: metadata values fit their kind") {
    CHECK(accepted(MetadataRecord{.kind = MetadataKind::boolean, .value = 1}));
    CHECK(refusal(MetadataRecord{.kind = MetadataKind::boolean, .value = 2}) == ErrorCode::malformed);
    CHECK(accepted(MetadataRecord{.kind = MetadataKind::integer, .value = ~0ull}));
    CHECK(refusal(MetadataRecord{.kind = MetadataKind::text, .value = 1ull << 32}) == ErrorCode::malformed);
    CHECK(refusal(MetadataRecord{.kind = static_cast<MetadataKind>(0)}) == ErrorCode::malformed);
    CHECK(refusal(MetadataRecord{.kind = static_cast<MetadataKind>(5)}) == ErrorCode::malformed);
}

TEST_CASE("manifest: a block's sizes go with its codec") {  // A24, A41
    BlockRecord block = kBlock;
    block.stored_bytes = block.raw_bytes;
    CHECK(refusal(block) == ErrorCode::malformed);
    block.codec = Codec::raw;
    CHECK(accepted(block));
    block.stored_bytes -= 1;
    CHECK(refusal(block) == ErrorCode::malformed);
    block.raw_bytes = block.stored_bytes = limits::kBlockBytesMax;
    CHECK(accepted(block));
    block.raw_bytes = block.stored_bytes = limits::kBlockBytesMax + 1;
    CHECK(refusal(block) == ErrorCode::malformed);
    block.raw_bytes = block.stored_bytes = 0;
    CHECK(refusal(block) == ErrorCode::malformed);
}

TEST_CASE("manifest: an unknown codec is unsupported, not malformed") {  // A44, A46
    BlockRecord block = kBlock;
    block.codec = static_cast<Codec>(2);
    CHECK(refusal(block) == ErrorCode::unsupported);
    block.codec = static_cast<Codec>(0xffff);
    CHECK(refusal(block) == ErrorCode::unsupported);
}

TEST_CASE("manifest: every kind has a name, and its record size is a power of two") {
    for (std::uint32_t number = 0; number < 100; ++number) {
        const auto kind = static_cast<TableKind>(number);
        const std::uint32_t size = record_bytes(kind);
        CHECK((size == 0) == (table_name(kind) == "unknown"));
        CHECK((size & (size - 1)) == 0);
        CHECK(size <= 64);
    }
}

}  // namespace fardel::tests::manifest_test
