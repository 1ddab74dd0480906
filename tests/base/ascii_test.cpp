#include "kit/test.h"

#include <fardel/base/ascii.h>

namespace fardel::tests::ascii_test {

// Returns all characters for which `has` is true, in order.
template <class Class>
std::string all_of_class(const Class& has) {
    std::string all;
    for (int i = 0; i < 256; ++i)
        if (const char c = static_cast<char>(i); has(c))
            all += c;
    return all;
}

const std::string kDigits = "0123456789";
const std::string kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const std::string kLower = "abcdefghijklmnopqrstuvwxyz";

TEST_CASE("ascii: classes contain their characters and no others") {
    CHECK(all_of_class(is_ascii_digit) == kDigits);
    CHECK(all_of_class(is_ascii_upper) == kUpper);
    CHECK(all_of_class(is_ascii_lower) == kLower);
    CHECK(all_of_class(is_ascii_letter) == kUpper + kLower);
    CHECK(all_of_class(is_ascii_letter_or_digit) == kDigits + kUpper + kLower);
    CHECK(all_of_class(is_ascii_space) == "\t\n\v\f\r ");
    CHECK(all_of_class(is_word_character) == "+-." + kDigits + kUpper + "_" + kLower);
    CHECK(all_of_class(is_version_character) == "+-." + kDigits + kUpper + "_" + kLower + "~");
}

TEST_CASE("ascii: lower case changes upper-case letters only") {
    CHECK(lower_ascii_text("Maps/Q3DM17\xc3\x84.BSP @[`{") == "maps/q3dm17\xc3\x84.bsp @[`{");
    CHECK(lower_ascii_text("").empty());
}

TEST_CASE("ascii: a word has 1 to 255 characters of its class") {
    CHECK(is_word("a"));
    CHECK(is_word("hd-1.5_x+"));
    CHECK(is_word(std::string(255, 'a')));
    CHECK_FALSE(is_word(""));
    CHECK_FALSE(is_word(std::string(256, 'a')));
    CHECK_FALSE(is_word("a b"));
    CHECK_FALSE(is_word("a=b"));
    CHECK_FALSE(is_word("1~2"));
    CHECK_FALSE(is_word(std::string_view("a\0", 2)));
}

TEST_CASE("ascii: a version has at most 64 characters of its class") {
    CHECK(is_version(""));
    CHECK(is_version("1.0~rc2+git_7-b"));
    CHECK(is_version(std::string(64, '1')));
    CHECK_FALSE(is_version(std::string(65, '1')));
    CHECK_FALSE(is_version("1 0"));
    CHECK_FALSE(is_version("1/0"));
}

}  // namespace fardel::tests::ascii_test
