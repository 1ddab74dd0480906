// A bundle of more than 4 GiB: written to a real file, signed, opened and read on both sides of 2^32. Prints SKIPPED
// if the disk has no room for it.
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include "bundle_forge/bundle_forge.h"
#include "kit/blobs.h"
#include "kit/files.h"

#include <cstring>
#include <iostream>

namespace fardel::tests::large_file_test {

constexpr std::uint64_t kFourGib = 1ull << 32;
constexpr std::uint64_t kAssets = 3;
constexpr std::uint64_t kAssetBytes[kAssets] = {kFourGib + (1u << 20) + 4321, (30u << 20) + 1,
                                                20u << 20};  // the first alone is above 4 GiB
constexpr std::uint64_t kRawBytes = kAssetBytes[0] + kAssetBytes[1] + kAssetBytes[2];
constexpr std::uint64_t kRoomBytes = 6ull << 30;

// Noise that can be computed at any offset: word i of asset a is a mix of both numbers (splitmix64).
std::uint64_t word(std::uint64_t asset, std::uint64_t index) {
    std::uint64_t z = (asset << 40) + index + 0x9e37'79b9'7f4a'7c15u;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9u;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebu;
    return z ^ z >> 31;
}

void put_noise(std::uint64_t asset, std::uint64_t offset, std::span<std::byte> out) {
    if (offset % 8 == 0)
        for (; out.size() >= 8; out = out.subspan(8), offset += 8) {
            const std::uint64_t value = word(asset, offset / 8);
            std::memcpy(out.data(), &value, 8);
        }
    while (!out.empty()) {
        const std::uint64_t value = word(asset, offset / 8);
        const std::size_t within = offset % 8;
        const std::size_t count = std::min(out.size(), 8 - within);
        std::memcpy(out.data(), reinterpret_cast<const std::byte*>(&value) + within, count);
        out = out.subspan(count);
        offset += count;
    }
}

std::string large_name_of(std::uint64_t asset) { return "noise/" + std::to_string(asset); }

BundlePlan noise_plan() {
    BundlePlan plan;
    plan.metadata = {{.key = "name", .value = std::string("tests/large")},
                     {.key = "version", .value = std::string("1.0")}};
    for (std::uint64_t asset = 0; asset < kAssets; ++asset) {
        PlannedAsset planned;
        planned.source = generated_blob(kAssetBytes[asset], [asset](std::uint64_t offset, std::span<std::byte> out) {
            put_noise(asset, offset, out);
        });
        planned.key = large_name_of(asset);
        planned.content_type = "video/x";
        planned.streamed = asset % 2 == 1;
        plan.assets.push_back(std::move(planned));
        plan.names.push_back({.name = AssetName::parse(large_name_of(asset)).value(),
                              .variants = {{.asset = static_cast<std::uint32_t>(asset)}}});
    }
    return plan;
}

void write_signed(const std::string& path) {
    auto bundle = value_of(write_bundle(noise_plan(), path, {.level = 1}));
    const BundleWriteSummary& summary = bundle.summary();
    CHECK(summary.file_bytes > kFourGib);
    CHECK(summary.raw_bytes == kRawBytes);
    CHECK(summary.stored_bytes == summary.raw_bytes);  // noise stays raw
    Statement statement = statement_about(summary);
    REQUIRE(bundle.append(sign_statement(statement, *make_key_signer(forge::test_key(1))).value()));
    REQUIRE(bundle.commit());
}

// Checks that the bytes are those that were written.
void check_range(const Bundle& bundle, std::uint64_t asset, std::uint64_t offset, std::size_t length) {
    const NameRecord name = bundle.name(bundle.find_name(large_name_of(asset)).value().value()).value();
    std::vector<std::byte> expected(length);
    std::vector<std::byte> read(length);
    put_noise(asset, offset, expected);
    const Status status = bundle.read_at(bundle.default_asset(name).value(), offset, read);
    CHECK_MESSAGE(status, (status ? "" : status.error().text()));
    if (read != expected)
        FAIL_CHECK("asset " << asset << ", " << length << " bytes from " << offset << " are other ones");
}

// Returns the asset that contains the byte at 2^32 of the file, and the offset in that asset.
std::pair<std::uint64_t, std::uint64_t> position_of_four_gib(const Bundle& bundle) {
    for (std::uint64_t asset = 0; asset < kAssets; ++asset) {
        const NameRecord name = bundle.name(bundle.find_name(large_name_of(asset)).value().value()).value();
        const AssetIndex index = bundle.default_asset(name).value();
        const std::uint32_t first = bundle.placement(index).value().first_block;
        const std::uint64_t start = bundle.layout_head().blocks_offset + bundle.block(first).value().stored_offset;
        if (start <= kFourGib && kFourGib - start < kAssetBytes[asset])
            return {asset, kFourGib - start};  // raw blocks, one behind the other
    }
    FAIL("no asset lies at 4 GiB");
    return {};
}

TEST_CASE("large file: a bundle above 4 GiB, with an asset above 4 GiB, is written, signed, opened and read") {
    const ScratchFolder scratch;
    if (std::filesystem::space(scratch.root()).available < kRoomBytes) {
        std::cout << "SKIPPED: less than 6 GiB are free at " << scratch.root() << "\n";
        return;
    }
    const std::string path = scratch.path("large.fardel");
    write_signed(path);
    const auto source = open_file_source(path).value();
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    std::filesystem::remove(path);  // `source` and `file` keep it open; none is left if the test fails

    const auto policy = make_policy(std::vector{PolicyKey{"author", forge::test_key(1).public_key()}}, {}).value();
    for (const TrustPolicy* who : {static_cast<const TrustPolicy*>(nullptr), &policy}) {
        const auto bundle = Bundle::open(source, {.policy = who, .time = TrustTime::at({1'800'000'000})}).value();
        CHECK(bundle->layout_head().manifest_offset > kFourGib);
        CHECK(bundle->layout_head().trailer_offset > kFourGib);
        CHECK(bundle->verdict().layout_signed == (who != nullptr));
        std::mt19937_64 random(1);
        for (std::uint64_t asset = 0; asset < kAssets; ++asset) {
            check_range(*bundle, asset, 0, 1);
            check_range(*bundle, asset, kAssetBytes[asset] - 300'000, 300'000);
            for (int i = 0; i < 50; ++i)
                check_range(*bundle, asset, random() % (kAssetBytes[asset] - 400'000), random() % 400'000);
        }
        const auto position = position_of_four_gib(*bundle);
        for (const std::uint64_t before : {0u, 1u, 4096u, 65536u, 300'000u})
            check_range(*bundle, position.first, position.second - before, 2 * before + 1);
    }

    // One bit at 2^32 is flipped: its block is corrupt, its neighbours are not.
    const auto bundle = Bundle::open(source, {}).value();
    const auto position = position_of_four_gib(*bundle);
    std::byte byte{};
    put_noise(position.first, position.second, {&byte, 1});
    file.seekp(static_cast<std::streamoff>(kFourGib));
    file.put(static_cast<char>(byte ^ std::byte{1}));
    REQUIRE(file.flush());
    const AssetIndex index =
        bundle->default_asset(bundle->name(bundle->find_name(large_name_of(position.first)).value().value()).value())
            .value();
    CHECK(bundle->read_at(index, position.second, {&byte, 1}).error().code() == ErrorCode::corrupt);
    check_range(*bundle, position.first, position.second + limits::kBlockBytesMax, 100'000);
    check_range(*bundle, position.first, position.second - limits::kBlockBytesMax - 1, 1);
}

}  // namespace fardel::tests::large_file_test
