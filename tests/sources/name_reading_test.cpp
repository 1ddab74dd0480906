#include <fardel/sources/name_reading.h>

#include "kit/test.h"

namespace fardel::tests::name_reading_test {

TEST_CASE("name reading: backslashes, code pages and decomposed accents become names") {
    CHECK(read_name("textures\\wall.tga", "utf-8") == "textures/wall.tga");
    CHECK(read_name("Ocan\u0303a.jpg", "utf-8") == "Oca\u00f1a.jpg");
    CHECK(read_name("T\x81r.png", "cp437") == "T\u00fcr.png");
    CHECK(read_name("maps\\T\x81r.png", "CP437") == "maps/T\u00fcr.png");
    CHECK(read_name("\xc3\xde\xb7\xfe.json", "gbk") == "\u68c9\u670d.json");
    CHECK(read_name("T\u00fcr.png", "cp437") == "T\u00fcr.png");  // UTF-8 already
}

TEST_CASE("name reading: what cannot be read, and every name by default, stays as it is") {
    for (const char* reading : {"", "exact", "Exact"})
        for (const char* name : {"a\\b", "T\x81r.png", "n\u0303"})
            CHECK(read_name(name, reading) == name);
    CHECK(read_name("T\x81r.png", "utf-8") == "T\x81r.png");
    CHECK(read_name("\xff\xff", "gbk") == "\xff\xff");
}

TEST_CASE("name reading: a way that the system does not know is refused") {
    for (const char* reading : {"exact", "utf-8", "UTF-8", "cp437", "gbk", "cp1251", "shift_jis"})
        CHECK(verify_name_reading(reading));
    for (const char* reading : {"", "no-such-page", "cp437//translit", "a b", "../x"})
        CHECK(code_of(verify_name_reading(reading)) == ErrorCode::malformed);
}

}  // namespace fardel::tests::name_reading_test
