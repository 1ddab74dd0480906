#include "kit/test.h"

#include <fardel/base/little_endian.h>

#include <array>

namespace fardel::tests::little_endian_test {

TEST_CASE("little endian: the lowest byte comes first, at any alignment") {
    const std::array<unsigned char, 9> bytes{0xff, 1, 2, 3, 4, 5, 6, 7, 8};
    CHECK(load_le<std::uint8_t>(&bytes[1]) == 1);
    CHECK(load_le<std::uint16_t>(&bytes[1]) == 0x0201);
    CHECK(load_le<std::uint32_t>(&bytes[1]) == 0x04030201);
    CHECK(load_le<std::uint64_t>(&bytes[1]) == 0x0807060504030201);
}

TEST_CASE("little endian: stored and appended values are loaded again") {
    std::array<std::byte, 9> bytes{};
    store_le(&bytes[1], std::uint64_t{0x1122334455667788});
    CHECK(bytes[1] == std::byte{0x88});
    CHECK(load_le<std::uint64_t>(&bytes[1]) == 0x1122334455667788);

    std::vector<std::byte> appended;
    append_le(appended, std::uint8_t{7});
    append_le(appended, std::uint32_t{0x01020304});
    CHECK(appended == std::vector<std::byte>{std::byte{7}, std::byte{4}, std::byte{3}, std::byte{2}, std::byte{1}});
}

TEST_CASE("little endian: bytes are swapped for machines of the other order") {
    CHECK(swap_bytes(std::uint8_t{0x12}) == 0x12);
    CHECK(swap_bytes(std::uint16_t{0x1234}) == 0x3412);
    CHECK(swap_bytes(std::uint32_t{0x12345678}) == 0x78563412);
    CHECK(swap_bytes(std::uint64_t{0x0102030405060708}) == 0x0807060504030201);
}

}  // namespace fardel::tests::little_endian_test
