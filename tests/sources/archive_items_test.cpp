#include "archive_items.h"

#include "kit/test.h"

namespace fardel::tests::archive_items_test {

std::vector<ArchiveItem> example_items() {
    return {{.kind = ArchiveItem::Kind::folder, .name = "maps"},
            {.name = "maps/dm01.bsp", .size_bytes = 7},
            {.kind = ArchiveItem::Kind::bad_name, .name = "maps/.."},
            {.kind = ArchiveItem::Kind::unreadable, .name = "x", .reason = Error(ErrorCode::corrupt, "its bytes")}};
}

TEST_CASE("archive items: what was encoded is decoded") {
    const auto bytes = encode_archive_items(example_items());
    const auto items = decode_archive_items(bytes);
    REQUIRE(items);
    REQUIRE(items->size() == 4);
    CHECK((*items)[1].name == "maps/dm01.bsp");
    CHECK((*items)[1].size_bytes == 7);
    CHECK((*items)[2].kind == ArchiveItem::Kind::bad_name);
    CHECK((*items)[3].reason->text() == "corrupt: its bytes");
    CHECK(encode_archive_items(*items) == bytes);
}

TEST_CASE("archive items: each proper prefix and one byte more are malformed") {
    auto bytes = encode_archive_items(example_items());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(decode_archive_items(std::span(bytes).first(size)));
    bytes.push_back(std::byte{0});
    CHECK_FALSE(decode_archive_items(bytes));
}

TEST_CASE("archive items: an unknown kind, a reason without a code and one that contradicts its kind are malformed") {
    auto bytes = encode_archive_items(example_items());
    bytes[4] = std::byte{5};
    CHECK_FALSE(decode_archive_items(bytes));
    bytes[4] = std::byte{4};
    CHECK_FALSE(decode_archive_items(bytes));
    CHECK_FALSE(parse_archive_error("nonsense of a reader"));
    CHECK_FALSE(parse_archive_error(""));
}

TEST_CASE("archive items: more items than the bytes can hold are refused before memory is taken") {
    const std::vector<std::byte> bytes(64, std::byte{0xff});
    CHECK_FALSE(decode_archive_items(bytes));
}

TEST_CASE("archive items: how reading ended is encoded for each file") {
    const ReadFailures failures = {std::nullopt, Error(ErrorCode::limit, "two\nlines"), std::nullopt};
    const auto bytes = encode_read_failures(failures);
    const auto decoded = decode_read_failures(bytes, 3);
    REQUIRE(decoded);
    CHECK_FALSE((*decoded)[0]);
    CHECK((*decoded)[1]->text() == "limit: two lines");
    CHECK_FALSE(decode_read_failures(bytes, 2));
    CHECK_FALSE(decode_read_failures(bytes, 4));
}

TEST_CASE("archive items: an error's text is one line that is safe to show") {
    const auto error = parse_archive_error("malformed a\x1b[31m name\nmore");
    REQUIRE(error);
    CHECK(error->message().find('\x1b') == std::string::npos);
    CHECK(error->message().find("more") == std::string::npos);
}

TEST_CASE("archive items: the sum of sizes does not overflow") {
    const std::vector<ArchiveItem> items = {{.name = "a", .size_bytes = UINT64_MAX}, {.name = "b", .size_bytes = 2}};
    CHECK_FALSE(sum_of_files(items, 100));
    CHECK(*sum_of_files(std::span(items).subspan(1), 2) == 2);
    CHECK_FALSE(sum_of_files(std::span(items).subspan(1), 1));
}

}  // namespace fardel::tests::archive_items_test
