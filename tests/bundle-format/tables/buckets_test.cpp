#include "tables/buckets.h"

#include "kit/test.h"

#include <fardel/format/limits.h>

namespace fardel::tests::buckets_test {

std::vector<std::uint32_t> built(const std::vector<std::uint64_t>& keys) {
    return bucket_starts(static_cast<std::uint32_t>(keys.size()), [&](std::uint32_t i) { return keys[i]; }).value();
}

constexpr std::uint64_t kQuarter = std::uint64_t{1} << 62;

TEST_CASE("buckets: there are as few as give two assets per bucket on average") {
    CHECK(bucket_bits(1) == 0);
    CHECK(bucket_bits(2) == 0);
    CHECK(bucket_bits(3) == 1);
    CHECK(bucket_bits(4) == 1);
    CHECK(bucket_bits(5) == 2);
    CHECK(bucket_bits(limits::kAssetsMax) == 26);
}

TEST_CASE("buckets: each number counts the assets before its bucket") {
    using Numbers = std::vector<std::uint32_t>;
    CHECK(built({}) == Numbers{});
    CHECK(built({~std::uint64_t{0}}) == Numbers{0, 1});
    CHECK(built({0, 1, ~std::uint64_t{0}}) == Numbers{0, 2, 3});
    CHECK(built({1, kQuarter - 1, kQuarter, 3 * kQuarter, 3 * kQuarter + 1}) == Numbers{0, 2, 3, 3, 5});
    CHECK(built({2 * kQuarter, 2 * kQuarter, 2 * kQuarter, 2 * kQuarter, 2 * kQuarter}) == Numbers{0, 0, 0, 5, 5});
}

TEST_CASE("buckets: more than 256 assets in one bucket exceed the limit") {
    std::vector<std::uint64_t> keys(256, 7);
    keys.resize(1000, 3 * kQuarter);
    CHECK_FALSE(bucket_starts(1000, [&](std::uint32_t i) { return keys[i]; }));
    const auto spread = [](std::uint32_t i) { return std::uint64_t{i < 256 ? 0 : i} << 53; };
    CHECK(bucket_starts(2048, spread));
    const auto refused = bucket_starts(2048, [](std::uint32_t i) { return std::uint64_t{i < 257 ? 0 : i} << 53; });
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::limit);
}

TEST_CASE("buckets: the leading bits of an id begin with its first byte") {
    CHECK(leading_bits(AssetId{{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x11}}) == 0x1234'5678'9abc'def0);
}

}  // namespace fardel::tests::buckets_test
