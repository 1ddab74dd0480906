#include <fardel/format/name.h>

#include "kit/emulator.h"
#include "kit/test.h"
#include "name_vectors.h"
#include "names/wide_product.h"

#include <fardel/base/sanitizers.h>

#include <bit>
#include <cmath>
#include <cstdio>

namespace fardel::tests::name_hash_test {

// Returns how far the hashes are from uniform in 2^bits buckets, chosen by the bits from `shift` on: chi-square, in
// standard deviations.
double deviation(const std::vector<std::uint64_t>& hashes, unsigned bits, unsigned shift) {
    std::vector<std::uint32_t> buckets(std::size_t{1} << bits);
    for (const std::uint64_t hash : hashes)
        ++buckets[hash >> shift & (buckets.size() - 1)];
    const double expected = static_cast<double>(hashes.size()) / static_cast<double>(buckets.size());
    double chi_square = 0;
    for (const std::uint32_t count : buckets)
        chi_square += (count - expected) * (count - expected) / expected;
    const double freedom = static_cast<double>(buckets.size() - 1);
    return (chi_square - freedom) / std::sqrt(2 * freedom);
}

// The hashes never change, so these numbers do not either: chance cannot fail a test that once passed.
void check_spread(const std::vector<std::string>& names) {
    std::vector<std::uint64_t> hashes;
    for (const std::string& name : names)
        hashes.push_back(name_hash(name));
    unsigned bits = 1;
    while ((std::size_t{4} << bits) <= names.size())  // 2 to 4 names per bucket, as in the table
        ++bits;
    CHECK(std::abs(deviation(hashes, bits, 64 - bits)) < 4);
    CHECK(std::abs(deviation(hashes, bits, 0)) < 4);
    CHECK(std::abs(deviation(hashes, 8, 56)) < 4);

    std::ranges::sort(hashes);
    CHECK(std::ranges::adjacent_find(hashes) == hashes.end());
}

template <class Spell>
std::vector<std::string> numbered(std::size_t count, Spell spell) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i)
        names.push_back(spell(i));
    return names;
}

TEST_CASE("name hash: the vectors of docs/names.md hold") {
    for (const std::string& line : read_name_vectors("name-hash")) {
        CAPTURE(line);
        CHECK(fardel::verify_name(line.substr(17)));
        CHECK(name_hash(line.substr(17)) == std::stoull(line.substr(0, 16), nullptr, 16));
    }
}

TEST_CASE("name hash: a name and its fold have one hash") {
    for (const std::string& line : read_name_vectors("name-fold")) {
        const std::string name = line.substr(0, line.find(" → "));
        CHECK(name_hash(name) == name_hash(fold_name(name)));
    }
    std::string name;
    for (std::size_t length = 1; length < 100; ++length) {
        name += static_cast<char>('A' + length % 26);
        CHECK(name_hash(name) == name_hash(fold_name(name)));
    }
}

TEST_CASE("name hash: a change of case keeps the hash, a change of any byte does not, at each offset of each length") {
    for (std::size_t length = 1; length < 70; ++length) {
        const std::string name(length, 'a');
        const std::uint64_t hash = name_hash(name);
        CHECK(name_hash(name + "a") != hash);
        for (std::size_t at = 0; at < length; ++at) {
            std::string other = name;
            other[at] = 'A';
            CHECK(name_hash(other) == hash);
            other[at] = 'b';
            CHECK(name_hash(other) != hash);
        }
    }
}

TEST_CASE("name hash: the address of a name does not matter") {
    const std::string text = "textures/Base_walls/metal_panel_03_large_mips2.tga";
    std::string room(text.size() + 16, 'x');
    for (std::size_t shift = 0; shift < 16; ++shift) {
        std::ranges::copy(text, room.begin() + static_cast<std::ptrdiff_t>(shift));
        CHECK(name_hash(std::string_view(room).substr(shift, text.size())) == name_hash(text));
    }
}

TEST_CASE("name hash: the names of OpenArena spread evenly") {
    if (const auto names = read_openarena_names(); !names.empty())
        check_spread(names);
}

TEST_CASE("name hash: a million numbered names spread evenly") {
    if (is_left_out_in_emulator("three million names take half a minute"))
        return;
    constexpr std::size_t kNames = kSanitized ? 50'000 : 1'000'000;  // a sanitizer sees the same in fewer
    check_spread(numbered(kNames, [](std::size_t i) { return std::to_string(i); }));
    check_spread(numbered(kNames, [](std::size_t i) {
        char text[64];
        std::snprintf(text, sizeof text, "textures/tiles/tile_%07zu.tga", i);
        return std::string(text);
    }));
    check_spread(numbered(kNames, [](std::size_t i) {  // the digits are in two blocks far apart
        char text[64];
        std::snprintf(text, sizeof text, "%03zu/the/blocks/between/these/two/%03zu", i / 1000, i % 1000);
        return std::string(text);
    }));
}

TEST_CASE("name hash: each bit of a name turns about half of the bits of the hash") {
    // The characters are letters and digits that stay such when bit 0 is flipped.
    for (std::size_t length = 8; length <= 64; length += 7) {
        std::size_t turned = 0, flips = 0;
        for (std::size_t round = 0; round < 50; ++round) {
            std::string name;
            for (std::size_t i = 0; i < length; ++i)
                name += static_cast<char>('b' + (round * 7 + i * 5 + i * i) % 24);
            for (std::size_t at = 0; at < length; ++at) {
                std::string other = name;
                other[at] = static_cast<char>(other[at] ^ 1);
                turned += static_cast<std::size_t>(std::popcount(name_hash(name) ^ name_hash(other)));
                ++flips;
            }
        }
        CHECK(static_cast<double>(turned) / static_cast<double>(flips) == doctest::Approx(32).epsilon(0.02));
    }
}

TEST_CASE("name hash: both ways to compute a wide product give the same") {
    FARDEL_RANDOM(random);
    constexpr std::uint64_t kEdges[] = {0, 1, 0xffff'ffff, 0x1'0000'0000, 0x8000'0000'0000'0000, ~0ull, ~0ull - 1};
    for (const std::uint64_t a : kEdges)
        for (const std::uint64_t b : kEdges)
            CHECK(fardel::folded_product(a, b) == fardel::folded_product_portable(a, b));
    for (int round = 0; round < 100'000; ++round) {
        const std::uint64_t a = random() >> random() % 64, b = random() >> random() % 64;
        CHECK(fardel::folded_product(a, b) == fardel::folded_product_portable(a, b));
    }
    static_assert(fardel::folded_product_portable(~0ull, ~0ull) == ((~0ull - 1) ^ 1));
}

}  // namespace fardel::tests::name_hash_test
