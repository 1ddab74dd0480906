#include <fardel/format/block_cache.h>

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include "kit/blobs.h"

#include <atomic>
#include <cstring>

namespace fardel::tests::block_cache_test {

BlockRecord record(std::uint8_t seed, std::uint32_t raw_bytes, Codec codec = Codec::zstd) {
    const std::byte byte{seed};
    return {.stored_hash = blake3({&byte, 1}), .stored_bytes = 100, .raw_bytes = raw_bytes, .codec = codec};
}

BlockCache::Block block(std::uint32_t raw_bytes, std::uint8_t value) {
    auto bytes = std::make_shared<std::byte[]>(raw_bytes);
    std::memset(bytes.get(), value, raw_bytes);
    return bytes;
}

// A bundle of one asset, 200,000 times 'x'.
std::vector<std::byte> many_blocks(const std::string& version) {
    BundlePlan plan;
    std::vector<std::byte> bytes(200'000, std::byte{'x'});
    plan.assets.push_back({.source = make_memory_blob(bytes), .key = "a"});
    plan.names.push_back({.name = AssetName::parse("a").value(), .variants = {{.asset = 0}}});
    plan.metadata.push_back({.key = "version", .value = version});
    tests::MemoryDisk disk;
    REQUIRE(write_bundle(plan, tests::make_memory_file(disk), {}).value().commit());
    return disk.bytes;
}

TEST_CASE("block cache: a block is found by hash, codec and size, not by its offset") {
    BlockCache cache(16u << 20);
    CHECK(cache.find(record(1, 1000)) == nullptr);
    cache.insert(record(1, 1000), block(1000, 7));
    REQUIRE(cache.find(record(1, 1000)) != nullptr);
    CHECK(cache.find(record(1, 1000))[0] == std::byte{7});
    CHECK(cache.find(record(2, 1000)) == nullptr);
    CHECK(cache.find(record(1, 999)) == nullptr);
    CHECK(cache.find(record(1, 1000, Codec::raw)) == nullptr);
    BlockRecord elsewhere = record(1, 1000);
    elsewhere.stored_offset = 123456;
    CHECK(cache.find(elsewhere) != nullptr);
}

TEST_CASE("block cache: it keeps its limit of bytes, and the block that was used last stays longest") {
    constexpr std::size_t kBytes = 1u << 20;
    BlockCache cache(kBytes);
    for (int i = 0; i < 256; ++i) {
        cache.insert(record(static_cast<std::uint8_t>(i), 16'000), block(16'000, 1));
        CHECK(cache.usage().bytes <= kBytes);
        cache.find(record(0, 16'000));  // is used all the time
    }
    CHECK(cache.usage().bytes > kBytes / 2);
    CHECK(cache.find(record(0, 16'000)) != nullptr);
    cache.insert(record(1, kBytes), block(kBytes, 1));  // larger than a shard's share
    CHECK(cache.find(record(1, kBytes)) == nullptr);
}

TEST_CASE("block cache: a block that is dropped stays valid for those who still use it") {
    BlockCache cache(16u * 20'000);
    cache.insert(record(1, 20'000), block(20'000, 9));
    const BlockCache::Block held = cache.find(record(1, 20'000));
    REQUIRE(held != nullptr);
    for (int i = 2; i < 256; ++i)
        cache.insert(record(static_cast<std::uint8_t>(i), 20'000), block(20'000, 1));
    CHECK(cache.find(record(1, 20'000)) == nullptr);
    CHECK(held[19'999] == std::byte{9});
}

TEST_CASE("block cache: bundles that contain the same block decode it once") {
    const auto cache = std::make_shared<BlockCache>(16u << 20);
    const auto first = Bundle::open(make_memory_source(many_blocks("1")), {.cache = cache}).value();
    const auto second = Bundle::open(make_memory_source(many_blocks("2")), {.cache = cache}).value();
    REQUIRE(first->id() != second->id());
    std::vector<std::byte> part(10);
    REQUIRE(first->read_at(AssetIndex{0}, 5, part));
    REQUIRE(first->read_at(AssetIndex{0}, 199'000, part));  // another block, so that the first one was not read last
    REQUIRE(second->read_at(AssetIndex{0}, 5, part));
    CHECK(cache->usage().misses == 2);
    CHECK(cache->usage().hits == 1);
}

TEST_CASE("block cache: the last block is freed with the cache, whichever thread read it") {
    auto cache = std::make_shared<BlockCache>(16u << 20);
    auto bundle = Bundle::open(make_memory_source(many_blocks("1")), {.cache = cache}).value();
    std::vector<std::byte> part(10);
    REQUIRE(bundle->read_at(AssetIndex{0}, 5, part));
    std::jthread([&] { CHECK(bundle->read_at(AssetIndex{0}, 5, part)); }).join();
    const std::weak_ptr<const std::byte[]> last = cache->find(bundle->block(0).value());
    REQUIRE_FALSE(last.expired());
    bundle.reset();
    cache.reset();
    CHECK(last.expired());
}

TEST_CASE("block cache: two caches share no block, even on one thread") {
    const auto source = std::make_shared<tests::CountingSource>(many_blocks("1"));
    std::vector<std::byte> part(10);
    const auto first = Bundle::open(source, {.cache = std::make_shared<BlockCache>(16u << 20)}).value();
    const auto second = Bundle::open(source, {.cache = std::make_shared<BlockCache>(16u << 20)}).value();
    REQUIRE(first->read_at(AssetIndex{0}, 5, part));
    const std::uint64_t hash = blake3(part).bytes[0];
    REQUIRE(second->read_at(AssetIndex{0}, 199'000, part));  // its tables are read now
    std::uint64_t before = source->reads;
    REQUIRE(first->read_at(AssetIndex{0}, 6, part));
    CHECK(source->reads == before);
    REQUIRE(second->read_at(AssetIndex{0}, 5, part));
    CHECK(source->reads > before);
    CHECK(blake3(part).bytes[0] == hash);
}

TEST_CASE("block cache: more threads than cores read through it at once") {
    const auto cache = std::make_shared<BlockCache>(1u << 20);
    const auto bundle = Bundle::open(make_memory_source(many_blocks("1")), {.cache = cache}).value();
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 16; ++t)
            threads.emplace_back([&] {
                std::vector<std::byte> part(10);
                for (std::uint64_t i = 0; i < 500; ++i)
                    if (!bundle->read_at(AssetIndex{0}, i * 399, part) || part[9] != std::byte{'x'})
                        ++wrong;
            });
    }
    CHECK(wrong == 0);
}

}  // namespace fardel::tests::block_cache_test
