#include <fardel/store/cache_record.h>

#include <fardel/format/hash.h>

#include <doctest/doctest.h>

namespace fardel {
namespace {

CacheRecord record() {
    CacheRecord record;
    record.key.bytes.fill(7);
    record.outputs = {{"textures/a@sd.png", id_from<AssetId>(blake3({})), 0}, {"b", {}, 0x0123456789abcdef}};
    record.notes = std::string("found\0inputs", 12);
    return record;
}

TEST_CASE("cache record: round trip") {
    const auto bytes = encode_cache_record(record());
    REQUIRE(bytes);
    const auto again = decode_cache_record(record().key, *bytes);
    REQUIRE(again);
    CHECK(*again == record());
}

TEST_CASE("cache record: each proper prefix, one byte more, and each flipped bit are refused") {  // A20 A21 A22 A109
    auto bytes = *encode_cache_record(record());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(decode_cache_record(record().key, std::span(bytes).first(size)));
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        bytes[bit / 8] ^= std::byte(1 << (bit % 8));
        CHECK_FALSE(decode_cache_record(record().key, bytes));
        bytes[bit / 8] ^= std::byte(1 << (bit % 8));
    }
    bytes.push_back(std::byte{0});
    CHECK_FALSE(decode_cache_record(record().key, bytes));
}

TEST_CASE("cache record: the record of another key is untrusted") {  // A109
    const auto bytes = *encode_cache_record(record());
    BuildKey other = record().key;
    other.bytes[31] ^= 1;
    CHECK(decode_cache_record(other, bytes).error().code() == ErrorCode::untrusted);
}

TEST_CASE("cache record: a future version is unsupported; too many outputs exceed the limit") {
    auto bytes = *encode_cache_record(record());
    bytes[8] = std::byte{2};
    const std::size_t body = bytes.size() - 32;
    const Hash hash = blake3(std::span(bytes).first(body));
    std::memcpy(bytes.data() + body, hash.bytes.data(), 32);
    CHECK(decode_cache_record(record().key, bytes).error().code() == ErrorCode::unsupported);

    CacheRecord many = record();
    many.outputs.resize(kCachedOutputsMax + 1);
    CHECK(encode_cache_record(many).error().code() == ErrorCode::limit);
}

}  // namespace
}  // namespace fardel
