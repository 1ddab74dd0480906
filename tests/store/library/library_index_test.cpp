// LibraryIndex: its encoding, and what must not decode.
#include "library/library_index.h"

#include "kit/ids.h"
#include "kit/record_family.h"

#include <fardel/format/hash.h>

namespace fardel::tests::library_index_test {

LibraryEntry entry_of(const std::string& name, std::optional<BundleId> bundle) {
    return {.name = name,
            .stamp = {.kind = StampKind::file,
                      .young = false,
                      .inode = 0x0102,
                      .size_bytes = 0x0304,
                      .modified_ns = -1,
                      .changed_ns = 5},
            .bundle = bundle};
}

Bytes golden_index() {
    Bytes bytes = bytes_of_hex(
        "46415244454c4c49"
        "01000000"
        "02000000"
        "05"
        "6120622e63"
        "0201000000000000"
        "0403000000000000"
        "ffffffffffffffff"
        "0500000000000000"
        "00"
        "01"
        "62"
        "0201000000000000"
        "0403000000000000"
        "ffffffffffffffff"
        "0500000000000000"
        "01"
        "0909090909090909090909090909090909090909090909090909090909090909");
    const Hash hash = blake3(bytes);
    for (const std::uint8_t byte : hash.bytes)
        bytes.push_back(static_cast<std::byte>(byte));
    return bytes;
}

TEST_CASE("library index: its bytes are those of the manual, and all others are refused") {
    const LibraryIndex index{entry_of("a b.c", std::nullopt), entry_of("b", filled_id<BundleId>(9))};
    check_record_family(index, golden_index(), encode_library_index, decode_library_index);
}

TEST_CASE("library index: an empty one has no entries") {
    CHECK(value_of(decode_library_index(encode_library_index({}))).empty());
}

TEST_CASE("library index: names out of order, twice or empty, kinds and versions that nobody writes are refused") {
    const auto code = [](const LibraryIndex& index) {
        return code_of(decode_library_index(encode_library_index(index)));
    };
    CHECK(code({entry_of("b", std::nullopt), entry_of("a", std::nullopt)}) == ErrorCode::malformed);
    CHECK(code({entry_of("a", std::nullopt), entry_of("a", std::nullopt)}) == ErrorCode::malformed);
    CHECK(code({entry_of("", std::nullopt)}) == ErrorCode::malformed);
    const auto resealed = [](std::size_t at, std::byte value) {
        Bytes bytes = golden_index();
        bytes.resize(bytes.size() - sizeof(Hash));
        bytes[at] = value;
        const Hash hash = blake3(bytes);
        for (const std::uint8_t byte : hash.bytes)
            bytes.push_back(static_cast<std::byte>(byte));
        return code_of(decode_library_index(bytes));
    };
    CHECK(resealed(8, std::byte{2}) == ErrorCode::unsupported);
    CHECK(resealed(15, std::byte{1}) == ErrorCode::malformed);  // a number of entries that the bytes cannot hold
    CHECK(resealed(54, std::byte{2}) == ErrorCode::malformed);  // kind
}

}  // namespace fardel::tests::library_index_test
