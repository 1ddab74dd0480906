#include <fardel/format/name.h>

#include "kit/test.h"
#include "names/unicode.h"

namespace fardel::tests::printable_test {

namespace unicode = fardel::unicode;
using namespace std::string_view_literals;

TEST_CASE("printable: visible text is shown unchanged") {
    for (const std::string_view text :
         {""sv, "a b"sv, "textures/water.tga"sv, "Straße"sv, "地図"sv, "\U0001f600"sv, "a\\b"sv})
        CHECK(printable(text) == text);
}

TEST_CASE("printable: what could fool a terminal or a person is spelled out") {  // A74
    CHECK(printable("\x1b[31mred\x1b[0m") == "\\u{1b}[31mred\\u{1b}[0m");
    CHECK(printable("a\r\nb\tc") == "a\\u{d}\\u{a}b\\u{9}c");
    CHECK(printable("a\0b"sv) == "a\\u{0}b");
    CHECK(printable("\x7f") == "\\u{7f}");
    CHECK(printable("\u009b31m") == "\\u{9b}31m");
    CHECK(printable("exe.\u202egnp") == "exe.\\u{202e}gnp");
    CHECK(printable("a\u200bb\ufeffc\u00add") == "a\\u{200b}b\\u{feff}c\\u{ad}d");
    CHECK(printable("a\u2028b") == "a\\u{2028}b");
    CHECK(printable("a\u00a0b") == "a\\u{a0}b");
    CHECK(printable("\ue000\u0378\U000e0041") == "\\u{e000}\\u{378}\\u{e0041}");
}

TEST_CASE("printable: bytes that are not UTF-8 are spelled out one by one") {
    CHECK(printable("a\xff\xc0\xaf") == "a\\xff\\xc0\\xaf");
    CHECK(printable("\xc3") == "\\xc3");
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    CHECK(printable("\xe2\x82z") == "\\xe2\\x82z");
    CHECK(printable("\x80\xc3\xa9") == "\\x80é");
}

TEST_CASE("printable: a long text is cut before the character that would not fit") {
    CHECK(printable("abcdef", 6) == "abcdef");
    CHECK(printable("abcdef", 5) == "abcde…");
    CHECK(printable("abcdé", 5) == "abcd…");
    CHECK(printable("ab\x1b", 5) == "ab…");
    CHECK(printable("a", 0) == "…");
    CHECK(printable("", 0).empty());
    CHECK(printable(std::string(1'000'000, '\xff')).size() == 200 + "…"sv.size());
}

TEST_CASE("printable: random bytes become visible text, which is then shown unchanged") {
    FARDEL_RANDOM(random);
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes;
        for (std::size_t left = random() % 40; left > 0; --left)
            bytes += static_cast<char>(static_cast<unsigned char>(random()));
        const std::string safe = printable(bytes, 400);
        CHECK(printable(safe, 400) == safe);
        for (std::string_view rest = safe; !rest.empty();) {
            const unicode::CodePoint point = unicode::decode_first(rest);
            REQUIRE(point.size_bytes > 0);
            CHECK((point.value == U' ' || unicode::kind_of(point.value) == unicode::Kind::visible));
            rest.remove_prefix(point.size_bytes);
        }
    }
}

}  // namespace fardel::tests::printable_test
