// One changed byte anywhere in a bundle is at least one error, and the finding names the assets in it. Truncation too.
#include "bundle_forge/damage.h"
#include "defects.h"

#include "kit/test.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

namespace fardel::tests::damage_test {

bool is_refused(const forge::Bytes& bytes, const TrustPolicy* policy) {
    VerifyOptions options;
    options.policy = policy;
    options.jobs = 1;
    return !verify(bytes, options).good();
}

forge::ForgedBundle signed_small_bundle() {
    forge::ForgedBundle bundle = forge::forge(forge::small_recipe());
    forge::sign(bundle);
    return bundle;
}

// A21. Every bit of everything: heads, blocks, tables, gaps, envelopes.
TEST_CASE("verifier: no bit of a signed bundle can change without an error") {
    const auto bundle = signed_small_bundle();
    const TrustPolicy policy = forge::test_policy();
    REQUIRE(!is_refused(bundle.bytes, &policy));
    const std::size_t failed = forge::first_failing_bit(0, bundle.bytes.size(), [&](std::size_t bit) {
        return is_refused(forge::flipped(bundle.bytes, bit), &policy);
    });
    CHECK(failed == bundle.bytes.size() * 8);
}

TEST_CASE("verifier: without a policy no byte can change without an error either, where the bundle is signed") {
    const auto bundle = signed_small_bundle();
    const std::size_t failed = forge::first_failure(bundle.bytes.size(), [&](std::size_t i) {
        return is_refused(forge::flipped(bundle.bytes, i * 8 + i % 8), nullptr);
    });
    CHECK(failed == bundle.bytes.size());
}

TEST_CASE(
    "verifier: no byte of an unsigned bundle can change without an error, except the layout's own version and "
    "options") {
    const auto bundle = forge::forge(forge::small_recipe());
    const auto is_free = [](std::size_t at) {
        return (at >= 4096 + 10 && at < 4096 + 12) || (at >= 4096 + 24 && at < 4096 + 32);
    };
    const std::size_t failed = forge::first_failure(bundle.bytes.size(), [&](std::size_t i) {
        return is_free(i) || is_refused(forge::flipped(bundle.bytes, i * 8 + i % 8), nullptr);
    });
    CHECK(failed == bundle.bytes.size());
}

// A20
TEST_CASE("verifier: a signed bundle that is cut off anywhere is refused") {
    const auto bundle = signed_small_bundle();
    const TrustPolicy policy = forge::test_policy();
    const std::size_t failed = forge::first_failure(
        bundle.bytes.size(), [&](std::size_t size) { return is_refused(forge::cut_to(bundle.bytes, size), &policy); });
    CHECK(failed == bundle.bytes.size());
}

// A22
TEST_CASE("verifier: a bundle with anything after its end is refused") {
    auto bundle = signed_small_bundle();
    for (const std::size_t more : {1u, 7u, 8u, 4096u}) {
        forge::Bytes longer = bundle.bytes;
        longer.resize(longer.size() + more);
        CHECK(is_refused(longer, nullptr));
    }
}

TEST_CASE("verifier: a damaged byte in a shared block names every asset in it, and only those") {
    auto bundle = signed_small_bundle();
    bundle.bytes[bundle.layout_head.blocks_offset + 5] ^= std::byte{0x40};
    const VerifyReport report = verify(bundle.bytes);
    const auto damaged = of_rule(report, "block-damaged");
    REQUIRE(damaged.size() == 1);
    CHECK(report.found.errors == 1);
    CHECK(damaged[0].code == ErrorCode::corrupt);
    CHECK(damaged[0].where == "blocks record 0 (file offset 8192)");
    std::vector<std::string> names;
    for (const AffectedAsset& asset : damaged[0].affected)
        names.push_back(asset.name);
    CHECK(names == std::vector<std::string>{"models/hero.skin", "textures/hero", "textures/hero", "textures/hero"});
    CHECK(damaged[0].text.find("4 assets, the first is 'models/hero.skin' (asset ") != std::string::npos);
}

TEST_CASE("verifier: a damaged byte in one piece names the asset, and the other pieces are still read") {
    auto bundle = forge::forge(forge::recipe_with_raw_pieces());
    const VerifyReport good = verify(bundle.bytes);
    REQUIRE(good.good());
    bundle.bytes[bundle.layout_head.blocks_offset + 4096 + 70'000] ^= std::byte{1};
    const VerifyReport report = verify(bundle.bytes);
    const auto damaged = of_rule(report, "block-damaged");
    REQUIRE(damaged.size() == 1);
    REQUIRE(damaged[0].affected.size() == 1);
    CHECK(report.found.errors == 1);
    const auto raw = forge::recipe_with_raw_pieces().assets;
    const bool is_glb = damaged[0].affected[0].name == "models/hero.glb";
    CHECK(report.sizes.raw_bytes_proved == good.sizes.raw_bytes_proved - (is_glb ? raw[6] : raw[7]).bytes.size());
}

TEST_CASE("verifier: a damaged page names its table and the records it holds") {
    auto bundle = forge::forge(forge::wide_recipe(1000));
    const TableEntry& names = *bundle.head.find(TableKind::names);
    const std::uint64_t at = bundle.layout_head.manifest_offset + names.offset;
    bundle.bytes[at + 2 * 4096 + 17] ^= std::byte{1};
    bundle.bytes[at + 3 * 4096] ^= std::byte{1};
    const VerifyReport report = verify(bundle.bytes);
    const auto damaged = of_rule(report, "page-damaged");
    REQUIRE(damaged.size() == 2);
    CHECK(damaged[0].where == "names page 2 (records 512 to 767, file offset " + std::to_string(at + 8192) + ")");
    CHECK(damaged[1].where == "names page 3 (records 768 to 999, file offset " + std::to_string(at + 12288) + ")");
    CAPTURE(text_of(report));
    CHECK(report.found.errors == 2);  // nothing is concluded from unknown records
}

// A26
TEST_CASE("verifier: a page in the position of another is damage, though its bytes are good ones") {
    auto bundle = forge::forge(forge::wide_recipe(1000));
    const TableEntry& names = *bundle.head.find(TableKind::names);
    const auto at =
        bundle.bytes.begin() + static_cast<std::ptrdiff_t>(bundle.layout_head.manifest_offset + names.offset);
    std::swap_ranges(at, at + 4096, at + 4096);
    const VerifyReport report = verify(bundle.bytes);
    CHECK(of_rule(report, "page-damaged").size() == 2);
}

TEST_CASE("verifier: a damaged page of a tree makes all pages below it unknown, with one finding") {
    auto bundle = forge::forge(forge::wide_recipe(1000));
    const TableEntry& assets = *bundle.head.find(TableKind::assets);
    bundle.bytes[bundle.layout_head.manifest_offset + assets.offset + assets.length_bytes + 40] ^= std::byte{1};
    const VerifyReport report = verify(bundle.bytes);
    CAPTURE(text_of(report));
    CHECK(of_rule(report, "tree-page-damaged").size() == 1);
    CHECK(report.found.errors == 1);
}

TEST_CASE("verifier: damage at several locations is found at all of them") {
    auto bundle = signed_small_bundle();
    const LayoutHead& layout = bundle.layout_head;
    bundle.bytes[layout.blocks_offset] ^= std::byte{1};
    bundle.bytes[layout.manifest_offset - 1] ^= std::byte{1};
    bundle.bytes[layout.manifest_offset + bundle.head.find(TableKind::tags)->offset] ^= std::byte{1};
    bundle.bytes[layout.trailer_offset + 100] ^= std::byte{1};
    const VerifyReport report = verify(bundle.bytes);
    CAPTURE(text_of(report));
    for (const char* rule : {"block-damaged", "gap-not-zero", "page-damaged", "signature-wrong"}) {
        CAPTURE(rule);
        CHECK(!of_rule(report, rule).empty());
    }
}

}  // namespace fardel::tests::damage_test
