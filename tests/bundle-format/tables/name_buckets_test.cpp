#include "kit/emulator.h"
#include "kit/test.h"

#include <fardel/format/name_buckets.h>

#include "read/name_lookup.h"

#include <fardel/format/limits.h>

namespace fardel::tests::name_buckets_test {

constexpr std::size_t kSlots = NameBucketRecord::kSlots;

// Seven names for every two buckets, with these hashes first and all others in the last bucket.
std::vector<HashedName> names_with(std::vector<std::uint64_t> hashes, std::size_t homes) {
    hashes.resize(homes * 7 / 2, ~std::uint64_t{0});
    std::vector<HashedName> names;
    for (const std::uint64_t hash : hashes)
        names.push_back({hash, static_cast<std::uint32_t>(names.size())});
    std::ranges::sort(names);
    return names;
}

TEST_CASE("name buckets: there are two for seven names, chosen by the leading bits of the hash") {
    CHECK(home_buckets(0) == 0);
    CHECK(home_buckets(1) == 1);
    CHECK(home_buckets(3) == 1);
    CHECK(home_buckets(4) == 2);
    CHECK(home_buckets(7) == 2);
    CHECK(home_buckets(8) == 3);
    CHECK(home_bucket(~std::uint64_t{0}, 1) == 0);
    CHECK(home_bucket(0, 3) == 0);
    CHECK(home_bucket(0x5555'5555'ffff'ffff, 3) == 0);
    CHECK(home_bucket(0x5555'5556'0000'0000, 3) == 1);
    CHECK(home_bucket(~std::uint64_t{0}, 3) == 2);
    CHECK(home_bucket(~std::uint64_t{0}, home_buckets(limits::kNamesMax)) == home_buckets(limits::kNamesMax) - 1);
}

TEST_CASE("name buckets: names fill their bucket in order, and then the next") {
    const auto none = fill_name_buckets({});
    REQUIRE(none);
    CHECK(none->empty());

    // Two home buckets: six names belong to the first; the sixth spills into the second, before the name that belongs
    // there.
    const auto filled = fill_name_buckets(names_with({1, 2, 3, 4, 5, 6}, 2));
    REQUIRE(filled);
    REQUIRE(filled->size() == 2);
    CHECK((*filled)[0].used == kSlots);
    CHECK((*filled)[0].spills == 1);
    CHECK((*filled)[0].names == std::array<std::uint32_t, kSlots>{0, 1, 2, 3, 4});
    CHECK((*filled)[1].used == 2);
    CHECK((*filled)[1].spills == 0);
    CHECK((*filled)[1].names == std::array<std::uint32_t, kSlots>{5, 6});
    CHECK((*filled)[1].hashes == std::array<std::uint32_t, kSlots>{0, 0xffff'ffff});
}

TEST_CASE("name buckets: the last home spills behind the homes") {
    const auto filled = fill_name_buckets(names_with({}, 2));
    REQUIRE(filled);
    REQUIRE(filled->size() == 3);
    CHECK((*filled)[0] == NameBucketRecord{});
    CHECK((*filled)[1].used == 5);
    CHECK((*filled)[1].spills == 1);
    CHECK((*filled)[2].used == 2);
    CHECK((*filled)[2].spills == 0);
}

TEST_CASE("name buckets: a name that would be too far behind its home bucket exceeds a limit") {
    std::vector<HashedName> names;
    const auto crowd = [&](std::uint32_t count) {
        names.clear();
        for (std::uint32_t i = 0; i < count; ++i)
            names.push_back({0, i});
        return fill_name_buckets(names);
    };
    CHECK(crowd((limits::kNameSpillMax + 1) * kSlots));
    CHECK(code_of(crowd((limits::kNameSpillMax + 1) * kSlots + 1)) == ErrorCode::limit);
}

TEST_CASE("name buckets: ordinary names are near their home buckets") {
    if (is_left_out_in_emulator("300,000 names take ten seconds"))
        return;
    std::mt19937_64 random(7);
    std::vector<HashedName> names;
    for (std::uint32_t i = 0; i < 300'000; ++i)
        names.push_back({random(), i});
    std::ranges::sort(names);
    const auto filled = fill_name_buckets(names);
    REQUIRE(filled);
    std::size_t at_home = 0, farthest = 0;
    for (std::size_t bucket = 0; bucket < filled->size(); ++bucket)
        for (std::size_t slot = 0; slot < (*filled)[bucket].used; ++slot) {
            const std::uint64_t high = (*filled)[bucket].hashes[slot];
            const std::size_t behind = bucket - home_bucket(high << 32, home_buckets(names.size()));
            at_home += behind == 0;
            farthest = std::max(farthest, behind);
        }
    CHECK(at_home > names.size() * 5 / 6);
    CHECK(farthest < 10);
}

TEST_CASE("name filters: each hash sets its two bits in the word of its leading bits") {
    CHECK(filter_words(0) == 0);
    CHECK(filter_words(1) == 1);
    CHECK(filter_words(4) == 1);
    CHECK(filter_words(5) == 2);
    CHECK(filter_words(9) == 4);
    CHECK(filter_word(~std::uint64_t{0}, 1) == 0);
    CHECK(filter_word(~std::uint64_t{0}, 4) == 3);
    CHECK(filter_word(std::uint64_t{1} << 62, 4) == 1);
    CHECK(filter_bits(0) == 1);
    CHECK(filter_bits(31 | 3 << 5) == (std::uint32_t{1} << 31 | std::uint32_t{1} << 3));
    CHECK(fill_name_filters({}).empty());
    const std::vector<HashedName> names{{1, 0}, {2, 1}, {3, 2}, {4, 3}, {std::uint64_t{1} << 63 | 1 << 5, 4}};
    CHECK(fill_name_filters(names) == std::vector<std::uint32_t>{0b11111, 0b11});
}

TEST_CASE("name lookup: both implementations find the same slots of a hash") {
    std::mt19937 random(3);
    for (int round = 0; round < 1000; ++round) {
        NameBucketRecord bucket;
        bucket.used = 5;
        for (auto* numbers : {&bucket.hashes, &bucket.texts, &bucket.names})
            for (std::uint32_t& number : *numbers)
                number = static_cast<std::uint32_t>(random() % 3);
        std::vector<std::byte> bytes;
        encode_record(bucket, bytes);
        const std::uint32_t slots = name_lookup::slots_with_portable(bytes.data(), 1);
        CHECK(name_lookup::slots_with(bytes.data(), 1) == slots);
        for (std::size_t i = 0; i < kSlots; ++i)
            CHECK((slots >> i & 1) == (bucket.hashes[i] == 1 ? 1 : 0));
    }
}

}  // namespace fardel::tests::name_buckets_test
