#include "write/string_table.h"

#include "kit/bytes.h"
#include "kit/test.h"

namespace fardel::tests::string_table_test {

std::vector<std::byte> bytes_in(const StringTable& strings) {
    std::vector<std::byte> bytes;
    for (const std::string_view text : strings.texts())
        append_string(text, bytes);
    CHECK(bytes.size() == strings.length_bytes());
    return bytes;
}

TEST_CASE("string table: each string is stored once, in byte order, behind its length") {
    StringTable strings;
    for (const char* text : {"b", "", "abc", "b", "ab", "\xc3\xa4"})
        strings.add(text);
    REQUIRE(strings.seal());
    CHECK(strings.ref("") == 0);
    CHECK(strings.ref("ab") == 2);
    CHECK(strings.ref("abc") == 6);
    CHECK(strings.ref("b") == 11);
    CHECK(strings.ref("\xc3\xa4") == 14);
    using namespace std::string_literals;
    CHECK(bytes_in(strings) == bytes_of("\0\0\2\0ab\3\0abc\1\0b\2\0\xc3\xa4"s));
}

TEST_CASE("string table: the order of adding does not change the bytes") {
    std::vector<std::string> texts;
    for (int i = 0; i < 1000; ++i)
        texts.push_back(std::to_string(i * 7919 % 1000));
    std::vector<std::vector<std::byte>> tables;
    for (int order = 0; order < 3; ++order) {
        StringTable strings;
        for (const std::string& text : texts)
            strings.add(text);
        REQUIRE(strings.seal());
        CHECK(std::ranges::is_sorted(texts, {}, [&](const std::string& text) { return strings.ref(text); }) ==
              std::ranges::is_sorted(texts));
        tables.push_back(bytes_in(strings));
        order == 0 ? std::ranges::sort(texts) : std::ranges::reverse(texts);
    }
    CHECK(tables[0] == tables[1]);
    CHECK(tables[0] == tables[2]);
}

TEST_CASE("string table: the longest string is stored with its length") {
    const std::string longest(65535, 'x');
    StringTable strings;
    strings.add(longest);
    REQUIRE(strings.seal());
    const auto bytes = bytes_in(strings);
    CHECK(bytes.size() == 65537);
    CHECK(bytes[0] == std::byte{0xff});
    CHECK(bytes[1] == std::byte{0xff});
}

TEST_CASE("string table: an empty table has no bytes") {
    StringTable strings;
    REQUIRE(strings.seal());
    CHECK(bytes_in(strings).empty());
}

}  // namespace fardel::tests::string_table_test
