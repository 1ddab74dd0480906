#include <fardel/cache/cache_record.h>
#include "kit/test.h"

#include <fardel/format/hash.h>

#include <array>
#include <cstring>

namespace fardel::tests::cache_record_test {

CacheRecord record() {
    CacheRecord record;
    record.key.bytes.fill(7);
    record.outputs = {{"textures/a@sd.png", id_from<AssetId>(blake3({})), 0}, {"b", {}, 0x0123456789abcdef}};
    record.notes = std::string("found\0inputs", 12);
    return record;
}

std::unique_ptr<Signer> signer(unsigned char number) {
    std::array<std::byte, 32> seed{};
    seed.fill(std::byte(number));
    return make_key_signer(SecretKey::from_seed(seed));
}

CacheRecord signed_record() {
    CacheRecord signed_record = record();
    REQUIRE(sign_cache_record(signed_record, *signer(1)));
    return signed_record;
}

ErrorCode decoding_error_of(const CacheRecord& record, std::span<const PublicKey> signers) {
    const Status verified = verify_cache_record(record, signers);
    return verified ? ErrorCode::io : verified.error().code();
}

TEST_CASE("cache record: round trip") {
    for (const CacheRecord& each : {record(), signed_record()}) {
        const auto bytes = encode_cache_record(each);
        REQUIRE(bytes);
        const auto again = decode_cache_record(each.key, *bytes);
        REQUIRE(again);
        CHECK(*again == each);
    }
}

TEST_CASE("cache record: a signature is valid under its key, and only for the whole record as it is") {  // A109
    const CacheRecord good = signed_record();
    const PublicKey keys[] = {signer(2)->public_key(), signer(1)->public_key()};
    CHECK(verify_cache_record(good, keys));
    CHECK(decoding_error_of(good, {}) == ErrorCode::untrusted);
    CHECK(decoding_error_of(good, std::span(keys).first(1)) == ErrorCode::untrusted);
    CHECK(decoding_error_of(record(), keys) == ErrorCode::untrusted);

    const auto refused = [&](auto change) {
        CacheRecord changed = good;
        change(changed);
        CHECK(decoding_error_of(changed, keys) == ErrorCode::untrusted);
    };
    refused([](CacheRecord& r) { r.key.bytes[0] ^= 1; });
    refused([](CacheRecord& r) { r.outputs[0].name += "x"; });
    refused([](CacheRecord& r) { r.outputs[0].asset.bytes[0] ^= 1; });
    refused([](CacheRecord& r) { r.outputs[0].size_bytes += 1; });
    refused([](CacheRecord& r) { r.outputs.pop_back(); });
    refused([](CacheRecord& r) { std::swap(r.outputs[0], r.outputs[1]); });
    refused([](CacheRecord& r) { r.notes += '\0'; });
    refused([](CacheRecord& r) { r.signature->signature.bytes[0] ^= 1; });
    refused([&](CacheRecord& r) { r.signature->key = keys[0]; });
    refused([](CacheRecord& r) {  // bytes moved from one field to the next
        r.notes.insert(0, 1, r.outputs[1].name.back());
        r.outputs[1].name.pop_back();
    });
    // A signature of the same bytes without the context, as another protocol could ask for.
    refused([&](CacheRecord& r) {
        const auto bytes = *encode_cache_record(good);
        r.signature->signature = *signer(1)->sign(std::span(bytes).first(bytes.size() - 128));
    });
}

TEST_CASE("cache record: of a signed one, each proper prefix, one byte more, and each flipped bit are refused") {
    auto bytes = *encode_cache_record(signed_record());  // A20 A21 A22 A109
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
    bytes[8] = std::byte{3};
    const std::size_t body = bytes.size() - 32;
    const Hash hash = blake3(std::span(bytes).first(body));
    std::memcpy(bytes.data() + body, hash.bytes.data(), 32);
    CHECK(decode_cache_record(record().key, bytes).error().code() == ErrorCode::unsupported);

    CacheRecord many = record();
    many.outputs.resize(kCachedOutputsMax + 1);
    CHECK(encode_cache_record(many).error().code() == ErrorCode::limit);
}

}  // namespace fardel::tests::cache_record_test
