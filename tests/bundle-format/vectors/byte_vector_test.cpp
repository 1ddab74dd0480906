#include "vectors/byte_vector.h"

#include "kit/test.h"

#include <array>
#include <cstring>

namespace fardel::tests::byte_vector_test {

#if defined(__x86_64__) || defined(_M_X64) || defined(_M_ARM64) || (defined(__aarch64__) && !defined(__AARCH64EB__))
#ifndef FARDEL_BYTE_VECTOR
#error "x86-64 and 64-bit ARM have ByteVector"
#endif
#endif

#ifdef FARDEL_BYTE_VECTOR

using Bytes = std::array<std::uint8_t, 16>;

Bytes bytes_of(ByteVector vector) {
    Bytes bytes;
    for (unsigned i = 0; i < 8; ++i) {
        bytes[i] = static_cast<std::uint8_t>(vector.first_word() >> 8 * i);
        bytes[8 + i] = static_cast<std::uint8_t>(vector.second_word() >> 8 * i);
    }
    return bytes;
}

// Groups of `Group` bytes of the two in turn.
template <int Group>
std::array<std::uint8_t, 32> zipped(const Bytes& left, const Bytes& right) {
    std::array<std::uint8_t, 32> zip;
    for (std::size_t i = 0; i < 16; i += Group) {
        std::memcpy(zip.data() + 2 * i, left.data() + i, Group);
        std::memcpy(zip.data() + 2 * i + Group, right.data() + i, Group);
    }
    return zip;
}

template <int Group>
void check_groups(const Bytes& left, const Bytes& right) {
    const ByteVector a = ByteVector::load(left.data()), b = ByteVector::load(right.data());
    if constexpr (Group < 8) {
        std::array<std::uint8_t, 32> both;
        zip_low<Group>(a, b).store(both.data());
        zip_high<Group>(a, b).store(both.data() + 16);
        REQUIRE(both == zipped<Group>(left, right));
    }
    Bytes moved{}, last;
    std::memcpy(moved.data() + Group, left.data(), 16 - Group);
    for (std::size_t i = 0; i < 16; ++i)
        last[i] = left[16 - Group + i % Group];
    REQUIRE(bytes_of(a.moved_up<Group>()) == moved);
    REQUIRE(bytes_of(a.last_everywhere<Group>()) == last);
}

TEST_CASE("byte vector: groups are moved, dealt and spread as the definitions say") {
    FARDEL_RANDOM(random);
    for (int round = 0; round < 200; ++round) {
        Bytes left, right, sums;
        for (std::uint8_t& byte : left)
            byte = static_cast<std::uint8_t>(random());
        for (std::uint8_t& byte : right)
            byte = static_cast<std::uint8_t>(random());
        check_groups<1>(left, right);
        check_groups<2>(left, right);
        check_groups<4>(left, right);
        check_groups<8>(left, right);
        for (std::size_t i = 0; i < 16; i += 2) {
            const unsigned sum = (left[i] | left[i + 1] << 8) + (right[i] | right[i + 1] << 8);
            sums[i] = static_cast<std::uint8_t>(sum);
            sums[i + 1] = static_cast<std::uint8_t>(sum >> 8);
        }
        REQUIRE(bytes_of(add_words(ByteVector::load(left.data()), ByteVector::load(right.data()))) == sums);
    }
}

TEST_CASE("byte vector: each operation gives what its definition says, byte by byte") {
    FARDEL_RANDOM(random);
    for (int round = 0; round < 2000; ++round) {
        std::array<std::uint8_t, 33> texts;
        for (std::uint8_t& byte : texts)
            byte = static_cast<std::uint8_t>(random() % (round % 2 == 0 ? 256 : 3) + 126);
        Bytes left, right;
        std::memcpy(left.data(), texts.data() + 1, 16);
        std::memcpy(right.data(), texts.data() + 17, 16);
        const ByteVector a = ByteVector::load(texts.data() + 1);  // of no alignment
        const ByteVector b = ByteVector::load(texts.data() + 17);
        REQUIRE(bytes_of(a) == left);

        Bytes either, both, sum, same, lesser;
        std::uint32_t high = 0, quarters = 0;
        for (std::size_t i = 0; i < 16; ++i) {
            either[i] = left[i] | right[i];
            both[i] = left[i] & right[i];
            sum[i] = static_cast<std::uint8_t>(left[i] + right[i]);
            same[i] = left[i] == right[i] ? 0xff : 0;
            lesser[i] = static_cast<std::int8_t>(left[i]) < static_cast<std::int8_t>(right[i]) ? 0xff : 0;
            high |= std::uint32_t{left[i] >= 0x80} << i;
        }
        REQUIRE(bytes_of(a | b) == either);
        REQUIRE(bytes_of(a & b) == both);
        REQUIRE(bytes_of(a + b) == sum);
        REQUIRE(bytes_of(equal(a, b)) == same);
        REQUIRE(bytes_of(less(a, b)) == lesser);
        REQUIRE(a.high_bits() == high);
        REQUIRE(a.has_high_bit() == (high != 0));

        const std::uint32_t number = left[8] | left[9] << 8 | left[10] << 16 | std::uint32_t{left[11]} << 24;
        for (std::size_t i = 0; i < 4; ++i)
            quarters |= std::uint32_t{std::memcmp(left.data() + 4 * i, left.data() + 8, 4) == 0} << i;
        REQUIRE(a.quarters_equal(number) == quarters);
    }
    CHECK(bytes_of(ByteVector::zero()) == Bytes{});
    CHECK(bytes_of(ByteVector::of(-3))[15] == 0xfd);
    CHECK_FALSE(ByteVector::zero().has_high_bit());
}

#else

TEST_CASE("byte vector: it is not for this processor") { MESSAGE("SKIPPED: this processor has no ByteVector"); }

#endif

}  // namespace fardel::tests::byte_vector_test
