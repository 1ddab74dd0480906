#include "names/lower_reader.h"

#include "kit/test.h"

namespace fardel::tests::lower_reader_test {

template <class Reader>
std::string lowered(const std::string& text, bool& ascii) {
    Reader reader;
    const WordPair words = reader.read(text.data());
    ascii = reader.is_ascii();
    std::string out;
    for (const std::uint64_t word : {words.first, words.second})
        for (int i = 0; i < 8; ++i)
            out.push_back(static_cast<char>(word >> 8 * i));
    return out;
}

TEST_CASE("lower reader: each ASCII character is lowered at each position, in both ways of reading") {
    for (int character = 0; character < 256; ++character)
        for (std::size_t position = 0; position < 16; ++position) {
            std::string text = "aZ@[`{_-0/Mm.Az~";
            text[position] = static_cast<char>(character);
            std::string expected = text;
            for (char& byte : expected)
                byte = lower_ascii(byte);
            bool ascii = false, portable_ascii = false;
            const std::string here = lowered<LowerReader>(text, ascii);
            const std::string portable = lowered<PortableLowerReader>(text, portable_ascii);
            REQUIRE(ascii == (character < 128));
            REQUIRE(portable_ascii == ascii);
            if (ascii) {
                REQUIRE(here == expected);
                REQUIRE(portable == expected);
            }
        }
}

TEST_CASE("lower reader: words that the caller has already read are lowered") {
    LowerReader reader;
    const WordPair words = reader.lower({0x4142'4361'6200'5a5b, 0});
    CHECK(words.first == 0x6162'6361'6200'7a5b);
    CHECK(reader.is_ascii());
    (void)reader.lower({0, 0x80});
    CHECK_FALSE(reader.is_ascii());
}

TEST_CASE("equal texts: one differing byte is detected at each position of each length") {
    for (std::size_t size = 0; size <= 70; ++size) {
        std::string a(size, 'x');
        for (std::size_t i = 0; i < size; ++i)
            a[i] = static_cast<char>(i * 37);
        std::string b = a;
        REQUIRE(is_equal(a.data(), b.data(), size));
        for (std::size_t i = 0; i < size; ++i) {
            b[i] = static_cast<char>(b[i] ^ 0x20);
            REQUIRE_FALSE(is_equal(a.data(), b.data(), size));
            b[i] = a[i];
        }
    }
}

}  // namespace fardel::tests::lower_reader_test
