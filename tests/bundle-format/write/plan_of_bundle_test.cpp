#include <fardel/format/plan_of_bundle.h>

#include "kit/bundles.h"

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

namespace fardel::tests::plan_of_bundle_test {

// A bundle with each kind of record.
BundlePlan rich_plan() {
    BundlePlan plan;
    const std::uint32_t map = add(plan, "maps/a.txt", "map");
    const std::uint32_t sound = add(plan, "sound/hum", noise_text(700'000, 3), "audio/x-test", true);
    const std::uint32_t small = add(plan, "sound/click", "click", "audio/x-test", true);
    add(plan, "textures/empty", "", "image/x-test");
    const std::uint32_t hd = add_asset(plan, "wall hd", noise_text(100'000, 4), "image/x-test");
    const std::uint32_t plain = add_asset(plan, "wall", std::string(90'000, 'w'), "image/x-test");
    const std::uint32_t nameless = add_asset(plan, "nameless", "no name leads here");
    plan.names.push_back({.name = name_of("textures/wall"),
                          .variants = {{.asset = plain}, {.tags = {{"quality", "hd"}, {"lang", "fr"}}, .asset = hd}}});
    plan.names.push_back(
        {.name = name_of("textures/door"), .variants = {{.tags = {{"quality", "hd"}}, .asset = hd}}, .extends = true});
    plan.names.push_back({.name = name_of("private"), .variants = {{.asset = map}}, .published = false});
    plan.names.push_back({.name = name_of("gone")});
    plan.dependencies = {{.bundle = BundleId::parse(std::string(64, 'b')).value(), .name = "b", .version = "2"},
                         {.bundle = BundleId::parse(std::string(64, 'a')).value(), .is_static = false}};
    plan.consumes = {{.text = "fonts/*", .pattern = true, .optional = true}, {.text = "menu"}};
    plan.assets[map].references = {
        {.spelling = "wall", .target = PlannedReference::Internal{plain}, .optional = true, .name = "textures/wall"},
        {.spelling = "hum", .target = PlannedReference::Internal{sound}},
        {.spelling = "far", .target = PlannedReference::Foreign{.asset = id_of("far"), .dependency = 0}, .name = "far"},
        {.spelling = "menu", .target = PlannedReference::Dynamic{"menu"}}};
    plan.assets[small].metadata = {{.key = "licence", .value = std::string("MIT")},
                                   {.key = "metric.seconds", .value = 0.25},
                                   {.key = "expires", .value = std::int64_t{-1}}};
    plan.assets[nameless].creator_metadata = {{.key = "note", .value = false}};
    plan.metadata = {{.key = "name", .value = std::string("rich")},
                     {.key = "version", .value = std::string("1.0")},
                     {.key = "requires.other", .value = std::string(">= 1.0")}};
    plan.creator_metadata = {{.key = "tool", .value = std::string("editor")}};
    return plan;
}

TEST_CASE("plan of a bundle: written again it is the same bundle, at any level, and the same file at its own") {
    const Bytes bytes = written(rich_plan(), {.level = 3, .jobs = 1});
    const auto bundle = open_bundle(bytes);
    const BundlePlan plan = value_of(plan_of(bundle));
    for (const int level : {1, 3, 12}) {
        CAPTURE(level);
        const Bytes again = written(plan, {.level = level, .jobs = 2});
        CHECK(bundle_id_of(again) == bundle->id());
        if (level == 3)
            CHECK(again == bytes);
    }
}

TEST_CASE("plan of a bundle: small assets that share a block keep their position among large ones") {
    BundlePlan plan;
    add(plan, "a.bsp", noise_text(200'000, 1), "application/x-bsp");
    add(plan, "b.jpg", "small", "image/jpeg");
    add(plan, "c.txt", "small text", "text/plain");
    add(plan, "d.txt", noise_text(150'000, 2), "text/plain");
    add(plan, "e.txt", "another", "text/plain");
    add(plan, "f.cfg", "set", "text/x-config");
    const Bytes bytes = written(plan, {.level = 3, .jobs = 1});
    CHECK(written(value_of(plan_of(open_bundle(bytes))), {.level = 3, .jobs = 1}) == bytes);
}

TEST_CASE("plan of a bundle: the order of a trace stays") {
    BundlePlan plan = rich_plan();
    plan.assets[3].rank = 1;
    plan.assets[0].rank = 0;
    plan.assets[5].rank = 0;
    const Bytes bytes = written(plan, {.level = 3, .jobs = 1});
    const auto bundle = open_bundle(bytes);
    const auto order_of = [](const Bundle& read) {
        std::vector<std::tuple<std::uint32_t, std::uint32_t, AssetId>> placed;
        for (std::uint32_t i = 0; i < read.asset_count(); ++i) {
            const PlacementRecord placement = read.placement(AssetIndex{i}).value();
            placed.emplace_back(placement.first_block, placement.offset, read.asset(AssetIndex{i}).value().id);
        }
        std::ranges::sort(placed);
        std::vector<AssetId> order;
        for (const auto& one : placed)
            order.push_back(std::get<2>(one));
        return order;
    };
    const Bytes same = written(value_of(plan_of(bundle)), {.level = 3, .jobs = 1});
    CHECK(same == bytes);
    const auto again = open_bundle(written(value_of(plan_of(bundle)), {.level = 1, .jobs = 1}));
    CHECK(again->id() == bundle->id());
    CHECK(order_of(*again) == order_of(*bundle));
}

TEST_CASE("plan of a bundle: content that is damaged is found when it is written") {
    Bytes bytes = written(rich_plan(), {.level = 1, .jobs = 1});
    const auto bundle = open_bundle(bytes);
    const BlockRecord block = bundle->block(0).value();
    bytes.at(bundle->layout_head().blocks_offset + block.stored_offset) ^= std::byte{1};
    const auto damaged = open_bundle(bytes);
    MemoryDisk disk;
    CHECK(write_bundle(value_of(plan_of(damaged)), make_memory_file(disk), quick()).error().code() ==
          ErrorCode::corrupt);
}

}  // namespace fardel::tests::plan_of_bundle_test
