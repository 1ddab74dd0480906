// PackReference: its encoding, and what must not decode.
#include "packs/pack_reference.h"

#include "kit/ids.h"
#include "kit/record_family.h"

#include <fardel/format/hash.h>

namespace fardel::tests::pack_reference_test {

PackReference sample_reference() {
    return {.pack = {.id = filled_id<PackId>(9), .size_bytes = 0x0304},
            .stamp = {.kind = StampKind::file,
                      .young = true,
                      .inode = 0x0102,
                      .size_bytes = 0x0304,
                      .modified_ns = -1,
                      .changed_ns = 5},
            .path = "/a b"};
}

TEST_CASE("pack reference: its bytes are those of the manual, and all others are refused") {
    Bytes golden = bytes_of_hex(
        "46415244454c5246"
        "01000000"
        "0909090909090909090909090909090909090909090909090909090909090909"
        "0403000000000000"
        "01"
        "0201000000000000"
        "ffffffffffffffff"
        "0500000000000000"
        "0400"
        "2f612062");
    const Hash hash = blake3(golden);
    for (const std::uint8_t byte : hash.bytes)
        golden.push_back(static_cast<std::byte>(byte));
    check_record_family(sample_reference(), golden, encode_pack_reference, decode_pack_reference);
}

TEST_CASE("pack reference: relative paths, paths with NUL and paths that are too long are refused") {
    const auto code = [](std::string path) {
        PackReference reference = sample_reference();
        reference.path = std::move(path);
        return code_of(decode_pack_reference(encode_pack_reference(reference)));
    };
    CHECK(code("") == ErrorCode::malformed);
    CHECK(code("a") == ErrorCode::malformed);
    CHECK(code(std::string("/a\0b", 4)) == ErrorCode::malformed);
    CHECK(code("/" + std::string(kReferencePathMax, 'a')) == ErrorCode::limit);
    PackReference longest = sample_reference();
    longest.path = "/" + std::string(kReferencePathMax - 1, 'a');
    CHECK(value_of(decode_pack_reference(encode_pack_reference(longest))) == longest);
}

}  // namespace fardel::tests::pack_reference_test
