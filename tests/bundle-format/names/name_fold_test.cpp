#include <fardel/format/name.h>

#include "kit/test.h"
#include "name_vectors.h"
#include "names/unicode.h"

namespace fardel::tests::name_fold_test {

namespace unicode = fardel::unicode;

TEST_CASE("name fold: the vectors of docs/names.md hold") {
    constexpr std::string_view kArrow = " → ";
    for (const std::string& line : read_name_vectors("name-fold")) {
        CAPTURE(line);
        const auto arrow = line.find(kArrow);
        REQUIRE(arrow != line.npos);
        const std::string name = line.substr(0, arrow), folded = line.substr(arrow + kArrow.size());
        CHECK(fardel::verify_name(name));
        CHECK(fold_name(name) == folded);
        CHECK(fold_name(folded) == folded);
        CHECK(names_fold_equal(name, folded));
    }
}

TEST_CASE("name fold: ASCII letters become lower case, other ASCII stays, at any length and position") {
    for (std::size_t length = 0; length < 40; ++length)
        for (unsigned value = 0; value < 0x80; ++value) {
            const char c = static_cast<char>(value);
            const char folded = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
            CHECK(fold_name(std::string(length, c)) == std::string(length, folded));
        }
}

TEST_CASE("name fold: names that differ only in case are equal") {  // A08
    CHECK(names_fold_equal("Textures/BASE/Water.tga", "textures/base/wATER.TGA"));
    CHECK(names_fold_equal("STRASSE", "straße"));
    CHECK(names_fold_equal("ſ", "S"));
    CHECK(names_fold_equal("ΣΑΣ", "σας"));
    CHECK_FALSE(names_fold_equal("a", "b"));
    CHECK_FALSE(names_fold_equal("a", "aa"));
    CHECK_FALSE(names_fold_equal("a", "ä"));
    CHECK_FALSE(names_fold_equal("ı", "i"));
    CHECK_FALSE(names_fold_equal("a[", "a{"));
    CHECK_FALSE(names_fold_equal("a@", "a`"));
    CHECK_FALSE(names_fold_equal("Ａ", "A"));  // a compatibility form is not a difference of case
    CHECK(names_fold_equal("Ａ", "ａ"));
}

TEST_CASE("name fold: one differing byte is detected at each position of each length") {
    for (std::size_t length = 1; length < 40; ++length) {
        const std::string name(length, 'a');
        for (std::size_t at = 0; at < length; ++at) {
            std::string other = name;
            other[at] = 'A';
            CHECK(names_fold_equal(name, other));
            other[at] = 'b';
            CHECK_FALSE(names_fold_equal(name, other));
        }
    }
}

TEST_CASE("name fold: every character folds to NFC, and folding it again changes nothing") {
    for (char32_t c = 0; c <= 0x10ffff; ++c) {
        if (c >= 0xd800 && c <= 0xdfff)
            continue;
        const unicode::Kind kind = unicode::kind_of(c);
        if (kind != unicode::Kind::visible && kind != unicode::Kind::space)
            continue;
        const std::string text = utf8(c);
        REQUIRE(unicode::decode_first(text).value == c);
        REQUIRE(unicode::decode_first(text).size_bytes == text.size());
        const std::string folded = fold_name(text);
        if (!unicode::is_nfc(folded) || fold_name(folded) != folded)
            FAIL_CHECK("U+" << std::hex << static_cast<std::uint32_t>(c));
    }
}

TEST_CASE("name fold: a random sequence of letters and marks folds to NFC, and folding it again changes nothing") {
    FARDEL_RANDOM(random);
    // Letters with case, some that decompose, marks of several classes with U+0345 among them, Hangul, U+11A7.
    constexpr std::u32string_view kPoints =
        U"aAzZßſŉǰİıΐΰՙևẖẞᾀᾈᾳᾼῃῌῳῼΑαΙιΩωΣσςÅåÉéỌọ\u0300\u0301\u0308\u0323\u0327\u0328\u0331\u0342\u0345\u05b0"
        U"\u3099かが가각\u1100\u1161\u11a7\u11a8ᲐაᎠꭰ地";
    for (int round = 0; round < 50'000; ++round) {
        std::string text;
        for (std::size_t left = 1 + random() % 8; left > 0; --left)
            text += utf8(kPoints[random() % kPoints.size()]);
        const std::string folded = fold_name(text);
        CAPTURE(text);
        CHECK(unicode::is_nfc(folded));
        CHECK(fold_name(folded) == folded);
    }
}

TEST_CASE("name fold: the iota subscript is sorted among the marks before it becomes a letter") {
    CHECK(fold_name("\u1fb3\u0323") == "\u03b1\u0323\u03b9");
    CHECK(fold_name("\u1fc3\u0323") == "\u03b7\u0323\u03b9");
    CHECK(fold_name("\u03b1\u0345\u0323") == "\u03b1\u0323\u03b9");  // not NFC
}

TEST_CASE("name fold: a text that is not a name is folded safely") {
    for (const std::string_view text : {"", "\xff\xfe", "A\xc3", "\xed\xa0\x80", "\u202e\u0378"}) {
        const std::string folded = fold_name(text);
        CHECK(fold_name(folded) == folded);
        CHECK(names_fold_equal(text, text));
    }
    CHECK(fold_name(std::string(5000, 'A')) == std::string(5000, 'a'));
    std::string wide, folded;
    for (int i = 0; i < 5000; ++i) {
        wide += "Ä";
        folded += "ä";
    }
    CHECK(fold_name(wide) == folded);
}

}  // namespace fardel::tests::name_fold_test
