// StoreRecord: its encoding, and what must not decode.
#include "packs/store_record.h"

#include "kit/ids.h"
#include "kit/test.h"

#include <fardel/format/hash.h>

namespace fardel::tests::store_record_test {

const StorePack kFirst{.id = filled_id<PackId>(1), .size_bytes = 1000};
const StorePack kSecond{.id = filled_id<PackId>(2), .size_bytes = 50};

StoreRecord sample_record() {
    StoreRecordBuilder builder;
    builder.add(200, 50, kSecond, 0);
    builder.add(0, 100, kFirst, 0);
    builder.add(100, 100, kFirst, 100);
    builder.add(300, 10, kFirst, 900);
    return std::move(builder).finish(filled_id<BundleId>(3), filled_id<LayoutId>(4), 400);
}

// Encodes a record that may be wrong, with a checksum that is right.
ErrorCode refusal_of(const StoreRecord& record) {
    const auto decoded = decode_store_record(encode_store_record(record));
    REQUIRE_FALSE(decoded);
    return decoded.error().code();
}

TEST_CASE("store record: more than 64 packs are refused, because each is an open file") {
    for (const std::size_t packs : {kStorePacksMax, kStorePacksMax + 1}) {
        StoreRecordBuilder builder;
        for (std::size_t i = 0; i < packs; ++i)
            builder.add(i * 10, 10, {.id = filled_id<PackId>(static_cast<std::uint8_t>(i + 1)), .size_bytes = 10}, 0);
        const StoreRecord record =
            std::move(builder).finish(filled_id<BundleId>(3), filled_id<LayoutId>(4), packs * 10);
        if (packs == kStorePacksMax)
            CHECK(value_of(decode_store_record(encode_store_record(record))) == record);
        else
            CHECK(refusal_of(record) == ErrorCode::limit);
    }
}

TEST_CASE("store record: neighbours are joined, and packs are numbered by their first use") {
    const StoreRecord record = sample_record();
    CHECK(record.packs == std::vector<StorePack>{kFirst, kSecond});
    CHECK(record.extents == std::vector<StoreExtent>{{0, 200, 0, 0}, {200, 50, 1, 0}, {300, 10, 0, 900}});
    CHECK(record.held_bytes() == 260);
    CHECK_FALSE(record.is_complete());
}

TEST_CASE("store record: an extent is found for a range that lies in it whole") {
    const StoreRecord record = sample_record();
    CHECK(record.find(0, 200) == &record.extents[0]);
    CHECK(record.find(199, 1) == &record.extents[0]);
    CHECK(record.find(199, 2) == nullptr);
    CHECK(record.find(200, 50) == &record.extents[1]);
    CHECK(record.find(250, 1) == nullptr);  // not held
    CHECK(record.find(300, 10) == &record.extents[2]);
    CHECK(record.find(400, 1) == nullptr);
    CHECK(record.find(200, UINT64_MAX) == nullptr);
}

TEST_CASE("store record: decodes to what was encoded, and no part or changed byte of it does") {
    const StoreRecord record = sample_record();
    const std::vector<std::byte> bytes = encode_store_record(record);
    CHECK(tests::value_of(decode_store_record(bytes)) == record);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(decode_store_record(std::span(bytes).first(size)));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::vector<std::byte> damaged = bytes;
        damaged[at] ^= std::byte{1};
        CHECK_FALSE(decode_store_record(damaged));
    }
}

TEST_CASE("store record: extents that overlap, leave the file or leave their pack are malformed") {  // A24
    const StoreRecord good = sample_record();
    const auto changed = [&](auto change) {
        StoreRecord record = good;
        change(record);
        return refusal_of(record);
    };
    CHECK(changed([](StoreRecord& r) { r.extents[1].file_offset = 199; }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { r.extents[2].file_offset = 391; }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { r.extents[2].file_offset = UINT64_MAX - 5; }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { r.extents[1].length_bytes = 51; }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { r.extents[1].length_bytes = 0; }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { r.extents[2].pack_offset = UINT64_MAX; }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { r.extents[1].pack = 2; }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { r.packs.push_back(r.packs[0]); }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) { std::swap(r.packs[0], r.packs[1]); }) == ErrorCode::malformed);
    CHECK(changed([](StoreRecord& r) {
              r.extents[0].length_bytes = 100;
              r.extents.insert(r.extents.begin() + 1, {100, 100, 0, 100});
          }) == ErrorCode::malformed);
}

TEST_CASE("store record: a later version is unsupported") {
    std::vector<std::byte> bytes = encode_store_record(sample_record());
    bytes[8] = std::byte{2};
    const Hash checksum = blake3(std::span(bytes).first(bytes.size() - 32));
    std::ranges::copy(std::as_bytes(std::span(checksum.bytes)), bytes.end() - 32);
    CHECK(code_of(decode_store_record(bytes)) == ErrorCode::unsupported);
}

}  // namespace fardel::tests::store_record_test
