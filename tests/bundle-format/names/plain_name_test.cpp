#include "names/plain_name.h"

#include "kit/test.h"

#include <fardel/format/name.h>

namespace fardel::tests::plain_name_test {

// The quick check accepts no name that the portable one refuses. It may refuse '='; otherwise both agree.
void check_quick(const std::string& text) {
    CAPTURE(text);
    const bool plain = is_plain_name(text);
    if (plain)
        REQUIRE(is_plain_name_portable(text));
    if (is_plain_name_portable(text)) {
        REQUIRE(verify_name(text));
        if (text.find('=') == std::string::npos)
            REQUIRE(plain);
    }
}

TEST_CASE("plain names: the quick check gives the answer of the portable one") {
    for (const char* text : {"a",
                             "ab/cd.tga",
                             "textures/base_wall/concrete_dark.tga",
                             "/a",
                             "a/",
                             "a//b",
                             " a",
                             "a ",
                             "a. /b",
                             "a/ b",
                             "a /b",
                             ".a",
                             "a.",
                             "con",
                             "con.txt",
                             "a/CON",
                             "cone",
                             "com1",
                             "com",
                             "lpt9.x",
                             "nul /x",
                             "aux",
                             "auxiliary/prn2",
                             "a/lpt",
                             "a~1",
                             "conin$",
                             "x=y",
                             "caf\xc3\xa9",
                             "a\x7f",
                             "a\x1f"})
        check_quick(text);
    CHECK(is_plain_name("textures/base_wall/concrete_dark.tga"));
    CHECK_FALSE(is_plain_name(""));
    CHECK_FALSE(is_plain_name("a//b"));
}

TEST_CASE("plain names: each byte at each position gets the answer of the portable check") {
    for (const std::size_t size : {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 300})
        for (std::size_t position = 0; position<size; position += size> 40 ? 7 : 1)
            for (int byte = 0; byte < 256; ++byte) {
                std::string text(size, 'x');
                text[position] = static_cast<char>(byte);
                check_quick(text);
            }
}

TEST_CASE("plain names: random texts of the deciding characters get the answer of the portable check") {
    constexpr std::string_view kDeciding = "//.. abcxnoulprtm019A\\:*?\"<>|$~=\x7f\xc3";
    std::mt19937 random(11);
    for (int round = 0; round < 100'000; ++round) {
        std::string text(1 + random() % 80, ' ');
        const std::size_t kinds = random() % 4 == 0 ? kDeciding.size() : 21;  // most texts contain no refused character
        for (char& byte : text)
            byte = kDeciding[random() % kinds];
        check_quick(text);
    }
}

}  // namespace fardel::tests::plain_name_test
