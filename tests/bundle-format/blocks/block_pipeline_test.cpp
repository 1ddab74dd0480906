#include "blocks/block_pipeline.h"

#include "bundle-format/plans.h"

#include <fardel/format/hash.h>

#include <cstring>

namespace fardel::tests::block_pipeline_test {

void set(BlockBuffer& buffer, std::string_view text) {
    buffer.clear();
    std::memcpy(buffer.room().data(), text.data(), text.size());
    buffer.grow(text.size());
}

std::string content_of(std::uint32_t number) {
    const std::size_t size = 1 + number * 7919 % 70'000;
    return number % 3 == 0 ? noise_text(size, number) : prose(size, number);
}

constexpr BlockEncoding kQuick{.codec = Codec::zstd, .level = 1};

std::unique_ptr<BlockPipeline> started(unsigned jobs) { return BlockPipeline::start(jobs).value(); }

void check(const EncodedBlock& block, const std::string& content, bool piece) {
    CHECK(block.raw_bytes == content.size());
    CHECK(block.piece == piece);
    CHECK(block.stored_hash == blake3(block.stored));
    CHECK(block.raw_hash == (piece ? blake3(std::as_bytes(std::span(content))) : Hash{}));
    std::string back(content.size(), '\0');
    REQUIRE(BlockDecoder().decode(block.codec, block.stored, std::as_writable_bytes(std::span(back))));
    CHECK(back == content);
}

TEST_CASE("block pipeline: blocks come out in the order in which they were added, with any number of threads") {
    for (const unsigned jobs : {1u, 2u, 7u}) {
        const auto pipeline = started(jobs);
        BlockBuffer buffer;
        std::uint32_t in = 0, out = 0;
        while (out < 200) {
            while (in < 200 && !pipeline->full()) {
                set(buffer, content_of(in));
                pipeline->push(buffer, in % 2 == 0, kQuick);
                CHECK(buffer.size_bytes() == 0);
                ++in;
            }
            check(pipeline->pop().value(), content_of(out), out % 2 == 0);
            ++out;
        }
        CHECK(pipeline->size() == 0);
    }
}

TEST_CASE("block pipeline: the newest blocks can be dropped, encoded or not") {
    FARDEL_RANDOM(random);
    const auto pipeline = started(3);
    BlockBuffer buffer;
    std::vector<std::uint32_t> inside;
    std::uint32_t next = 0;
    for (int step = 0; step < 1000; ++step) {
        if (random() % 3 != 0 && !pipeline->full()) {
            set(buffer, content_of(next));
            pipeline->push(buffer, true, kQuick);
            inside.push_back(next++);
        } else if (random() % 4 == 0) {
            const std::size_t count = random() % (inside.size() + 1);
            pipeline->drop_newest(count);
            inside.resize(inside.size() - count);
        } else if (!inside.empty()) {
            check(pipeline->pop().value(), content_of(inside.front()), true);
            inside.erase(inside.begin());
        }
        REQUIRE(pipeline->size() == inside.size());
    }
}

TEST_CASE("block pipeline: it can be destroyed while it contains blocks") {
    for (int i = 0; i < 20; ++i) {
        const auto pipeline = started(2);
        BlockBuffer buffer;
        while (!pipeline->full()) {
            set(buffer, content_of(5));
            pipeline->push(buffer, false, kQuick);
        }
    }
}

}  // namespace fardel::tests::block_pipeline_test
