// A bundle of a million assets: opening it costs what opening one of a thousand does. A30.
#include <fardel/format/block_cache.h>
#include <fardel/format/bundle.h>

#include "bundle-format/plans.h"
#include "bundle_forge/damage.h"
#include "kit/blobs.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <array>
#include <cstdio>

namespace fardel::tests::many_assets_test {

// A sanitizer makes the writer slow, and finds the same errors with fewer assets.
constexpr std::uint32_t kMany = kSanitized ? 50'000 : 1'000'000;
constexpr std::uint32_t kFew = 1'000;
constexpr std::uint32_t kFolders = 100;

using Text = std::array<char, 16>;

Text content_of(std::uint32_t asset) {
    Text text{};
    std::snprintf(text.data(), text.size(), "asset %u", asset);
    return text;
}

AssetId id_of_content(std::uint32_t asset) {
    const Text text = content_of(asset);
    return id_of(std::as_bytes(std::span(text)));
}

// Within a folder, the names of rising assets are in the order of a bundle.
std::string name_of(std::uint32_t asset) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "Folder %02u/name %07u", asset % kFolders, asset);
    return text.data();
}

std::shared_ptr<const BlobSource> text_blob(std::uint32_t asset) {
    return generated_blob(Text().size(), [asset](std::uint64_t offset, std::span<std::byte> out) {
        const Text text = content_of(asset);
        std::ranges::copy(std::as_bytes(std::span(text)).subspan(offset, out.size()), out.begin());
    });
}

std::shared_ptr<const CountingSource> bundle_of(std::uint32_t assets) {
    BundlePlan plan;
    plan.assets.reserve(assets);
    plan.names.reserve(assets);
    for (std::uint32_t i = 0; i < assets; ++i) {
        PlannedAsset asset;
        asset.source = text_blob(i);
        asset.key = name_of(i);
        asset.content_type = "text/plain";
        plan.assets.push_back(std::move(asset));
        plan.names.push_back({.name = tests::name_of(name_of(i)), .variants = {{.asset = i}}});
    }
    return std::make_shared<CountingSource>(written(plan, quick(0)));
}

std::shared_ptr<const Bundle> opened(const std::shared_ptr<const CountingSource>& source) {
    source->bytes_read = 0;
    BundleOptions options;
    options.cache = std::make_shared<BlockCache>(64u << 20);
    return Bundle::open(source, options).value();
}

// Checks that name, folded name and id lead to the asset, and that it has its bytes.
void check_found(const Bundle& bundle, std::uint32_t asset) {
    CAPTURE(asset);
    std::string other = name_of(asset);
    other[0] = 'f';
    const auto name = bundle.find_name(name_of(asset)).value();
    REQUIRE(name);
    CHECK(bundle.find_name(other, CaseRule::fold).value() == name);
    CHECK_FALSE(bundle.find_name(other).value());
    CHECK_FALSE(bundle.find_name(name_of(asset) + "x", CaseRule::fold).value());
    const AssetIndex index = bundle.default_asset(bundle.name(*name).value()).value();
    CHECK(bundle.find_asset(id_of_content(asset)).value() == index);
    Text out{};
    CHECK(bundle.read_at(index, 0, std::as_writable_bytes(std::span(out))));
    CHECK(out == content_of(asset));
}

TEST_CASE("many assets: a bundle of a million is written and opened, and all are found and listed") {
    const auto few = bundle_of(kFew);
    const auto many = bundle_of(kMany);

    // Opening either bundle reads only the heads.
    CHECK(opened(few)->asset_count() == kFew);
    CHECK(few->bytes_read == 2 * limits::kHeadBytes);
    const auto bundle = opened(many);
    CHECK(bundle->asset_count() == kMany);
    CHECK(bundle->name_count() == kMany);
    CHECK(many->bytes_read == few->bytes_read);

    // The first look-up by name and id and the first read touch a few pages of each table, a page of each level of its
    // tree, and one block.
    check_found(*bundle, 4711);
    CHECK(many->bytes_read < 400'000);

    for (std::uint32_t i = 0; i < 20'000; ++i)
        check_found(*bundle, static_cast<std::uint32_t>(i * 7919ull % kMany));
    CHECK_FALSE(bundle->find_asset(id_of_content(kMany)).value());
    CHECK_FALSE(bundle->find_name(name_of(kMany)).value());

    // The names of a folder follow each other.
    const NameIndex first = bundle->lower_bound_name("Folder 42/").value();
    const NameIndex last = bundle->lower_bound_name("Folder 420").value();  // '0' follows '/' in ASCII
    CHECK(static_cast<std::uint32_t>(last) - static_cast<std::uint32_t>(first) == kMany / kFolders);
    for (std::uint32_t i = 0; i < kMany / kFolders; ++i) {
        const NameIndex index{static_cast<std::uint32_t>(first) + i};
        CHECK(bundle->name_text(index).value() == name_of(i * kFolders + 42));
    }
    // All names are in order.
    std::string before;
    for (std::uint32_t i = 0; i < kMany; ++i) {
        const std::string_view text = bundle->name_text(NameIndex{i}).value();
        if (!(before < text))
            FAIL_CHECK("name " << i << " is not behind the one before it");
        before = text;
    }
}

}  // namespace fardel::tests::many_assets_test
