// DigestIndex: its encoding, and what must not decode.
#include <fardel/format/digest_index.h>

#include "kit/ids.h"
#include "kit/record_family.h"

namespace fardel::tests::digest_index_test {

KnownDigest known(int version, std::uint64_t raw_bytes, std::vector<Hash> pieces) {
    BlobDigest digest{
        .id = filled_id<AssetId>(9), .raw_bytes = raw_bytes, .piece_log2 = 16, .pieces = std::move(pieces)};
    std::fill_n(digest.head.begin(), digest.first_bytes().size(), std::byte{0x61});
    return {.version = filled_id<Hash>(static_cast<std::uint8_t>(version)),
            .digest = std::make_shared<const BlobDigest>(std::move(digest))};
}

Bytes sealed(Bytes bytes) {
    const Hash hash = blake3(bytes);
    for (const std::uint8_t byte : hash.bytes)
        bytes.push_back(static_cast<std::byte>(byte));
    return bytes;
}

std::string hex_times(std::string_view hex, int times) {
    std::string out;
    for (int i = 0; i < times; ++i)
        out += hex;
    return out;
}

Bytes golden_digests() {
    return sealed(
        bytes_of_hex("46415244454c4447"
                     "01000000"
                     "02000000" +
                     hex_times("01", 32) + hex_times("09", 32) + "0200000000000000" + "10" + "02" + "6161" +
                     hex_times("02", 32) + hex_times("09", 32) + "0100010000000000" + "10" + "40" +
                     hex_times("61", 64) + hex_times("03", 32) + hex_times("04", 32)));
}

DigestIndex golden_value() { return {known(1, 2, {}), known(2, 65'537, {filled_id<Hash>(3), filled_id<Hash>(4)})}; }

TEST_CASE("digest index: its bytes are those of the manual, and all others are refused") {
    check_record_family(golden_value(), golden_digests(), encode_digest_index, decode_digest_index);
    CHECK(value_of(decode_digest_index(encode_digest_index({}))).empty());
}

TEST_CASE("digest index: order, sizes, heads and versions that nobody writes are refused") {
    const auto code = [](const DigestIndex& index) { return code_of(decode_digest_index(encode_digest_index(index))); };
    CHECK(code({known(2, 0, {}), known(1, 0, {})}) == ErrorCode::malformed);
    CHECK(code({known(1, 0, {}), known(1, 0, {})}) == ErrorCode::malformed);
    CHECK(code({known(1, 65'537, {})}) == ErrorCode::malformed);        // two pieces without hashes
    CHECK(code({known(1, (1ull << 46) + 1, {})}) == ErrorCode::limit);  // larger than any asset
    CHECK(code({known(1, 1ull << 46, {})}) == ErrorCode::malformed);    // 2^30 pieces in a few bytes
    const auto changed = [](std::size_t at, std::byte value) {
        Bytes bytes = golden_digests();
        bytes.resize(bytes.size() - sizeof(Hash));
        bytes[at] = value;
        return code_of(decode_digest_index(sealed(std::move(bytes))));
    };
    CHECK(changed(0, std::byte{0x47}) == ErrorCode::malformed);
    CHECK(changed(8, std::byte{2}) == ErrorCode::unsupported);
    CHECK(changed(15, std::byte{1}) == ErrorCode::malformed);   // a number of files that the bytes cannot hold
    CHECK(changed(88, std::byte{17}) == ErrorCode::malformed);  // the size of pieces
    CHECK(changed(89, std::byte{1}) == ErrorCode::malformed);   // a head that is not as long as the file allows
}

}  // namespace fardel::tests::digest_index_test
