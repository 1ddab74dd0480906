#include <fardel/delivery/delta_record.h>

#include "kit/bytes.h"
#include "kit/record_family.h"

namespace fardel::tests::delta_record_test {

template <class Id>
Id id_filled_with(std::uint8_t byte) {
    Id id{};
    id.bytes.fill(byte);
    return id;
}

DeltaDirectory small_directory() {
    DeltaDirectory directory;
    directory.tables.push_back({.frame_bytes = 300, .raw_bytes = 9000, .prefix_offset = 64, .prefix_bytes = 8000});
    directory.blocks.push_back({.form = DeltaBlocks::Form::raw,
                                .frame_bytes = 500,
                                .prefix = {{3, 1}, {200, 130}},
                                .blocks = {{0, 2}, {4, 1}}});
    directory.blocks.push_back(
        {.form = DeltaBlocks::Form::raw, .frame_bytes = 20, .prefix = {}, .blocks = {{5, 1}, {70'000, 1}}});
    directory.blocks.push_back({.form = DeltaBlocks::Form::stored, .frame_bytes = 7, .prefix = {}, .blocks = {{3, 1}}});
    return directory;
}

DeltaHead head_of(const DeltaDirectory& directory) {
    DeltaHead head{.level = 9,
                   .old_bundle = id_filled_with<BundleId>(1),
                   .old_layout = id_filled_with<LayoutId>(2),
                   .new_bundle = id_filled_with<BundleId>(3),
                   .new_layout = id_filled_with<LayoutId>(4),
                   .file_bytes = 123'456};
    head.directory_bytes = encode_delta_directory(directory).size();
    head.table_segments = static_cast<std::uint32_t>(directory.tables.size());
    head.block_segments = static_cast<std::uint32_t>(directory.blocks.size());
    for (const DeltaTables& tables : directory.tables)
        head.tables_bytes += tables.frame_bytes;
    for (const DeltaBlocks& blocks : directory.blocks)
        head.blocks_bytes += blocks.frame_bytes;
    return head;
}

// The vectors of docs/deltas.md.
const char* const kHead =
    "46415244454c4454040000000900000001010101010101010101010101010101"
    "0101010101010101010101010101010102020202020202020202020202020202"
    "0202020202020202020202020202020203030303030303030303030303030303"
    "0303030303030303030303030303030304040404040404040404040404040404"
    "0404040404040404040404040404040440e20100000000003b00000000000000"
    "2c010000000000000f0200000000000001000000030000000000000000000000";
const char* const kDirectory =
    "2c010000282300004000000000000000401f000001f4010000020300c4018101"
    "0200010200011400000000020000eaa20400020700000000010300";

TEST_CASE("delta record: the head and its encoding") {
    const DeltaHead head = head_of(small_directory());
    CHECK(encode_delta_head(head) == bytes_of_hex(kHead));
    check_record_family(head, encode_delta_head(head), encode_delta_head,
                        [](std::span<const std::byte> bytes) { return decode_delta_head(bytes); });
}

TEST_CASE("delta record: the directory and its encoding") {
    const DeltaDirectory directory = small_directory();
    const DeltaHead head = head_of(directory);
    CHECK(encode_delta_directory(directory) == bytes_of_hex(kDirectory));
    check_record_family(directory, encode_delta_directory(directory), encode_delta_directory,
                        [&](std::span<const std::byte> bytes) { return decode_delta_directory(head, bytes); });
}

TEST_CASE("delta record: another version is unsupported") {
    Bytes bytes = encode_delta_head(head_of(small_directory()));
    for (const unsigned version : {1u, 2u, 3u, 5u}) {
        bytes[8] = static_cast<std::byte>(version);
        check_error(decode_delta_head(bytes), ErrorCode::unsupported,
                    version < 4 ? "make it again from both bundles with 'fardel delta'" : "made by a later Fardel");
    }
}

TEST_CASE("delta record: segments of no blocks, in the wrong order or too large are refused") {  // A49
    const auto decoded = [](const DeltaDirectory& directory) {
        return decode_delta_directory(head_of(directory), encode_delta_directory(directory));
    };
    CHECK(decoded(small_directory()));
    DeltaDirectory wrong = small_directory();
    wrong.blocks[0].frame_bytes = 0;
    CHECK(code_of(decoded(wrong)) == ErrorCode::malformed);
    wrong = small_directory();
    wrong.tables[0].raw_bytes = 0;
    CHECK(code_of(decoded(wrong)) == ErrorCode::malformed);
    wrong = small_directory();
    std::swap(wrong.blocks[1], wrong.blocks[2]);
    CHECK(code_of(decoded(wrong)) == ErrorCode::malformed);
    wrong = small_directory();
    wrong.tables[0].raw_bytes = kDeltaSegmentBytesMax + 1;
    CHECK(code_of(decoded(wrong)) == ErrorCode::limit);
    wrong = small_directory();
    wrong.tables[0].prefix_bytes = kDeltaPrefixBytesMax + 1;
    CHECK(code_of(decoded(wrong)) == ErrorCode::limit);
    wrong = small_directory();
    wrong.blocks[0].frame_bytes = kDeltaFrameBytesMax + 1;
    CHECK(code_of(decoded(wrong)) == ErrorCode::limit);
    wrong = small_directory();
    wrong.blocks[0].blocks[1].first = 2;  // would be one run with the first
    CHECK(code_of(decoded(wrong)) == ErrorCode::malformed);
    wrong = small_directory();
    wrong.blocks[0].blocks[1] = {0xffff'fff0, 0x100};
    CHECK(code_of(decoded(wrong)) == ErrorCode::malformed);
}

TEST_CASE("delta record: counts above what the bytes can hold are refused before anything is allocated") {  // A49
    const DeltaDirectory directory = small_directory();
    DeltaHead head = head_of(directory);
    head.block_segments = 0xffff'ffff;
    CHECK(code_of(decode_delta_directory(head, encode_delta_directory(directory))) == ErrorCode::malformed);
    Bytes runs = encode_delta_directory({.tables = {}, .blocks = {directory.blocks[2]}});
    const Bytes many = bytes_of_hex("ffffffff0f");
    runs.erase(runs.begin() + 6, runs.end());
    runs.insert(runs.end(), many.begin(), many.end());
    runs.resize(64);
    head = {.directory_bytes = 64, .blocks_bytes = 7, .block_segments = 1};
    CHECK(code_of(decode_delta_directory(head, runs)) == ErrorCode::malformed);
    Bytes bytes = encode_delta_head(head_of(directory));
    for (const std::size_t at : {152, 160, 168}) {  // sizes
        Bytes large = bytes;
        large[at + 6] = std::byte{1};
        CHECK(code_of(decode_delta_head(large)) == ErrorCode::limit);
    }
}

}  // namespace fardel::tests::delta_record_test
