// What of a prefix frames copy from.
#include "delta/narrower_prefix.h"

#include "kit/bundles.h"
#include "kit/bytes.h"

#include <fardel/format/manifest.h>
#include <fardel/format/prefix_codec.h>

namespace fardel::tests::narrower_prefix_test {

using Saved = std::vector<std::uint64_t>;

TEST_CASE("narrower prefix: a block saves what is copied from it, and nothing what the frame repeats of its own") {
    const std::vector<std::uint32_t> blocks = {5000, 7000, 400, 6000};
    const std::string prefix = noise_text(18'400, 1);
    const std::string own = noise_text(3000, 2);
    const std::string given = prefix.substr(6000, 2000) + own + own + prefix.substr(12'390, 30);
    const Bytes frame = encode_with_prefix(bytes_of(prefix), bytes_of(given), 19);
    REQUIRE(frame.size() < 4000);
    const Saved saved = value_of(estimate_saved(blocks, frame, given.size()));
    REQUIRE(saved.size() == 4);
    CHECK(saved[0] == 0);
    CHECK(saved[1] == doctest::Approx(1200).epsilon(0.02));
    CHECK(saved[2] < 20);  // 10 bytes of it, and 20 of the last
    CHECK(saved[3] < 20);
    CHECK(saved[2] + saved[3] > 0);
}

TEST_CASE("narrower prefix: of many blocks, the right ones are found") {
    const std::vector<std::uint32_t> blocks(70'000, 40);
    const std::string prefix = noise_text(2'800'000, 1);
    const std::vector<std::size_t> copied = {0, 254, 255, 256, 65'534, 65'535, 65'536, 69'999};
    std::string given;
    for (const std::size_t block : copied)
        given += prefix.substr(block * 40, 40) + noise_text(50, 100 + block);
    const Bytes frame = encode_with_prefix(bytes_of(prefix), bytes_of(given), 19);
    Saved saved = value_of(estimate_saved(blocks, frame, given.size()));
    REQUIRE(saved.size() == blocks.size());
    for (const std::size_t block : copied) {
        CAPTURE(block);
        CHECK(std::exchange(saved[block], 0) == doctest::Approx(21).epsilon(0.1));
    }
    CHECK(saved == Saved(blocks.size()));
}

TEST_CASE("narrower prefix: without a prefix, and with a frame that is none") {
    const Bytes given = bytes_of(prose(5000, 1));
    CHECK(value_of(estimate_saved({}, encode_with_prefix({}, given, 3), given.size())).empty());
    const auto refused = estimate_saved({}, given, given.size());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code() == ErrorCode::malformed);
}

TEST_CASE("narrower prefix: blocks that save little are taken out") {
    BundlePlan plan;
    const std::string old_content = noise_text(12 * 262'144, 1);
    add(plan, "a.ogg", old_content, "audio/ogg", true);
    const auto old = open_bundle(written(plan));
    REQUIRE(old->table_count(TableKind::blocks) >= 12);
    const std::uint32_t block_bytes = value_of(old->block(0)).raw_bytes;
    const std::string given = old_content.substr(3 * block_bytes, 2 * block_bytes) + noise_text(1000, 2) +
                              old_content.substr(7 * block_bytes, 300) + old_content.substr(9 * block_bytes, 60);
    const std::string prefix = old_content.substr(2 * block_bytes, 9 * block_bytes);
    DeltaBlocks segment = {.prefix = {{2, 9}}};
    const Bytes frame = encode_with_prefix(bytes_of(prefix), bytes_of(given), 12);
    REQUIRE(narrow_prefix(*old, frame, given.size(), segment));
    CHECK(segment.prefix == std::vector<BlockRun>{{3, 2}, {7, 1}});
    CHECK(segment == DeltaBlocks{.prefix = segment.prefix});  // the rest is as it was
}

}  // namespace fardel::tests::narrower_prefix_test
