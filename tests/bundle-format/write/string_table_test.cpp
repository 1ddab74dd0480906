#include "write/string_table.h"

#include "kit/bytes.h"
#include "kit/test.h"

namespace fardel::tests::string_table_test {

TEST_CASE("string table: each string is stored once, in byte order, behind its length") {
    StringTable strings;
    for (const char* text : {"b", "", "abc", "b", "ab", "\xc3\xa4"})
        strings.add(text);
    using namespace std::string_literals;
    CHECK(strings.seal().value() == bytes_of("\0\0\2\0ab\3\0abc\1\0b\2\0\xc3\xa4"s));
    CHECK(strings.ref("") == 0);
    CHECK(strings.ref("ab") == 2);
    CHECK(strings.ref("abc") == 6);
    CHECK(strings.ref("b") == 11);
    CHECK(strings.ref("\xc3\xa4") == 14);
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
        tables.push_back(strings.seal().value());
        order == 0 ? std::ranges::sort(texts) : std::ranges::reverse(texts);
    }
    CHECK(tables[0] == tables[1]);
    CHECK(tables[0] == tables[2]);
}

TEST_CASE("string table: the longest string is stored with its length") {
    const std::string longest(65535, 'x');
    StringTable strings;
    strings.add(longest);
    const auto bytes = strings.seal().value();
    CHECK(bytes.size() == 65537);
    CHECK(bytes[0] == std::byte{0xff});
    CHECK(bytes[1] == std::byte{0xff});
}

TEST_CASE("string table: an empty table has no bytes") { CHECK(StringTable().seal().value().empty()); }

}  // namespace fardel::tests::string_table_test
