#include "crc32.h"

#include "kit/test.h"

namespace fardel::tests::crc32_test {

std::uint32_t crc32_of(std::string_view first, std::string_view second = {}) {
    Crc32 crc;
    crc.update(std::as_bytes(std::span(first)));
    crc.update(std::as_bytes(std::span(second)));
    return crc.value();
}

TEST_CASE("crc32: published values are computed") {
    CHECK(crc32_of("") == 0);
    CHECK(crc32_of("a") == 0xe8b7'be43);
    CHECK(crc32_of("123456789") == 0xcbf4'3926);  // the check value of the CRC catalogue
    CHECK(crc32_of("The quick brown fox jumps over the lazy dog") == 0x414f'a339);
}

TEST_CASE("crc32: bytes in several pieces give the same value") {
    const std::string_view text = "The quick brown fox jumps over the lazy dog";
    for (std::size_t at = 0; at <= text.size(); ++at)
        CHECK(crc32_of(text.substr(0, at), text.substr(at)) == 0x414f'a339);
}

}  // namespace fardel::tests::crc32_test
