#include <fardel/format/block_cache.h>

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include "memory_file.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>

using namespace fardel;

namespace {

BlockRecord record(std::uint8_t seed, std::uint32_t raw_bytes, Codec codec = Codec::zstd) {
    const std::byte byte{seed};
    return {.stored_hash = blake3({&byte, 1}), .stored_bytes = 100, .raw_bytes = raw_bytes, .codec = codec};
}

BlockCache::Block block(std::uint32_t raw_bytes, std::uint8_t value) {
    auto bytes = std::make_shared<std::byte[]>(raw_bytes);
    std::memset(bytes.get(), value, raw_bytes);
    return bytes;
}

}  // namespace

TEST_CASE("block cache: a block is known by what decides about its bytes") {
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

TEST_CASE("block cache: it keeps within its bytes, what was used last stays longest") {
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

TEST_CASE("block cache: a block that leaves lives on with who has it") {
    BlockCache cache(16u * 20'000);
    cache.insert(record(1, 20'000), block(20'000, 9));
    const BlockCache::Block held = cache.find(record(1, 20'000));
    REQUIRE(held != nullptr);
    for (int i = 2; i < 256; ++i)
        cache.insert(record(static_cast<std::uint8_t>(i), 20'000), block(20'000, 1));
    CHECK(cache.find(record(1, 20'000)) == nullptr);
    CHECK(held[19'999] == std::byte{9});
}

TEST_CASE("block cache: bundles that hold the same block decode it once") {
    const auto bundle_of = [](const std::string& version, const std::shared_ptr<BlockCache>& cache) {
        BundlePlan plan;
        std::vector<std::byte> bytes(200'000, std::byte{'x'});
        plan.assets.push_back({.source = make_memory_blob(bytes), .key = "a"});
        plan.names.push_back({.name = AssetName::parse("a").value(), .variants = {{.asset = 0}}});
        plan.metadata.push_back({.key = "version", .value = version});
        tests::MemoryDisk disk;
        REQUIRE(write_bundle(plan, tests::make_memory_file(disk), {}).value().commit());
        return Bundle::open(make_memory_source(disk.bytes), {.cache = cache}).value();
    };
    const auto cache = std::make_shared<BlockCache>(16u << 20);
    const auto first = bundle_of("1", cache), second = bundle_of("2", cache);
    REQUIRE(first->id() != second->id());
    std::vector<std::byte> part(10);
    REQUIRE(first->read_at(AssetIndex{0}, 5, part));
    REQUIRE(
        first->read_at(AssetIndex{0}, 199'000, part));  // another block, so that this thread had the first one not last
    REQUIRE(second->read_at(AssetIndex{0}, 5, part));
    CHECK(cache->usage().misses == 2);
    CHECK(cache->usage().hits == 1);
}
