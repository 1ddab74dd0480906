// Ranks of planned assets: where bytes lie in the file, and nothing else.

#include "bundle-format/plans.h"

#include "kit/bundles.h"
#include "kit/bytes.h"

#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

namespace fardel::tests::ranked_assets_test {

// 40 texts that share blocks and 4 images with blocks of their own.
BundlePlan plan_of_files() {
    BundlePlan plan;
    for (int i = 0; i < 40; ++i)
        add(plan, "text/" + std::to_string(i), std::string(3000, static_cast<char>('a' + i % 26)) + std::to_string(i));
    for (int i = 0; i < 4; ++i)
        add(plan, "image/" + std::to_string(i), std::string(100'000, static_cast<char>('A' + i)), "image/png");
    return plan;
}

std::uint32_t first_block_of(const Bundle& bundle, std::string_view name) {
    const auto found = value_of(bundle.find_name(name));
    REQUIRE(found);
    const AssetIndex asset = value_of(bundle.default_asset(value_of(bundle.name(*found))));
    return value_of(bundle.placement(asset)).first_block;
}

TEST_CASE("ranks: assets are stored by rank, and the bundle id is the same") {
    BundlePlan plan = plan_of_files();
    const auto plain = open_bundle(written(plan));
    plan.assets[43].rank = 0;  // image/3
    plan.assets[39].rank = 0;  // text/39
    plan.assets[42].rank = 7;  // image/2
    const auto ranked = open_bundle(written(plan));
    CHECK(ranked->id() == plain->id());
    CHECK(ranked->layout_id() != plain->layout_id());
    CHECK(first_block_of(*ranked, "image/3") == 0);  // within a rank, by type and name
    CHECK(first_block_of(*ranked, "text/39") == 2);
    CHECK(first_block_of(*ranked, "image/2") == 3);
    CHECK(first_block_of(*ranked, "image/0") == 5);
    CHECK(first_block_of(*plain, "image/3") == 6);
    audited(plan);
}

TEST_CASE("ranks: the bytes do not depend on the order of the plan or on threads") {
    BundlePlan plan = plan_of_files();
    for (std::uint32_t i = 0; i < plan.assets.size(); i += 3)
        plan.assets[i].rank = 100 - i;
    const Bytes first = written(plan, quick(1));
    BundlePlan turned = plan;
    std::swap(turned.assets[0], turned.assets[43]);
    std::swap(turned.names[0].variants[0].asset, turned.names[43].variants[0].asset);
    CHECK(written(turned, quick(4)) == first);
}

TEST_CASE("ranks: equal bytes have the type and pieces that they have without ranks") {
    for (const std::size_t size : {1000u, 100'000u})  // one piece; one streamed piece, or two
        for (const bool streamed : {false, true}) {
            CAPTURE(size);
            CAPTURE(streamed);
            BundlePlan plan = plan_of_files();
            const std::string bytes(size, 'x');
            add(plan, "same/a", bytes, "audio/ogg");
            add(plan, "same/b", bytes, "video/webm", streamed);
            const Bytes plain = written(plan);
            plan.assets[45].rank = 0;  // same/b would be the first
            plan.assets[10].rank = 1;
            const auto ranked = open_bundle(written(plan));
            CHECK(ranked->id() == bundle_id_of(plain));
            audited(plan);
        }
}

}  // namespace fardel::tests::ranked_assets_test
