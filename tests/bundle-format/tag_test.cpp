#include <fardel/format/tag.h>

#include <doctest/doctest.h>

namespace fardel {

TEST_CASE("tag: a word has 1 to 255 letters, digits and - _ . +") {
    for (const char* word : {"a", "Z", "0", "-", "_", ".", "+", "hd-2.0_x+y"})
        CHECK(is_tag_word(word));
    for (const char* word : {"", " ", "a b", "a=b", "a,b", "a;b", "*", "\n", "\xc3\xa4"})
        CHECK_FALSE(is_tag_word(word));
    CHECK(is_tag_word(std::string(255, 'a')));
    CHECK_FALSE(is_tag_word(std::string(256, 'a')));
    CHECK_FALSE(is_tag_word(std::string("a\0b", 3)));
}

TEST_CASE("tag: tags compare by axis, then value") {
    CHECK(Tag{"a", "2"} < Tag{"b", "1"});
    CHECK(Tag{"a", "1"} < Tag{"a", "2"});
    CHECK(TagView{"a", "1"} == TagView{"a", "1"});
}

}  // namespace fardel
