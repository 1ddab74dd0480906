// Fetching a part of a bundle: by name, by tag, by what a name refers to.
#include "delivery/served_bundle.h"

#include "kit/bundles.h"
#include "vfs/test_bundle.h"

#include <fardel/vfs/vfs.h>

namespace fardel::tests::partial_fetch_test {

FetchOptions fetching(const TreeServer& server, ContentSelection selection) {
    FetchOptions options = fetching_from({server.url()});
    options.work.selection = std::move(selection);
    return options;
}

std::string stored_text(const BundleStore& store, const BundleId& id, const std::string& name, std::string tags = "") {
    Vfs vfs;
    if (!tags.empty())
        vfs.prefer(value_of(parse_variant_preference(tags)));
    value_of(vfs.mount(value_of(store.open_bundle(id)), {.allow_unsigned = true}));
    return content_at(vfs, name);
}

StoredBundle stored(const BundleStore& store) {
    const auto bundles = value_of(store.list());
    REQUIRE(bundles.size() == 1);
    return bundles[0];
}

TEST_CASE_FIXTURE(ServedMaps,
                  "partial fetch: names by pattern; what is not here is missing, by its asset id; later fetches add") {
    const BundleStore store = make_store(scratch);
    const auto first = value_of(fetch_one(store, id, fetching(server, {.names = {"maps/one*"}})));
    REQUIRE(first.plan.bundles.size() == 1);
    CHECK(first.plan.fetch_bytes >= kPartBytes);
    CHECK(first.plan.fetch_bytes < 2 * kPartBytes);
    CHECK(first.plan.bundles[0].left_bytes > 4 * kPartBytes);
    CHECK(stored(store).held_bytes < stored(store).file_bytes);
    CHECK(stored_text(store, id, "maps/one.bsp") == random_text(1, kPartBytes));
    const std::string refused = stored_text(store, id, "maps/two.bsp");
    CHECK(refused.starts_with("missing: "));
    CHECK(refused.find(asset_id_of(bytes_of(random_text(2, kPartBytes))).hex()) != std::string::npos);
    const auto checked = value_of(store.check(true));
    CHECK(checked.findings.empty());
    CHECK(checked.incomplete == 1);

    const std::uint64_t before = server.sent_bytes();
    const auto second = value_of(fetch_one(store, id, fetching(server, {.names = {"maps/**"}})));
    CHECK(server.sent_bytes() - before == second.plan.fetch_bytes);
    CHECK(second.plan.fetch_bytes < 2 * kPartBytes);
    CHECK(stored_text(store, id, "maps/one.bsp") == random_text(1, kPartBytes));
    CHECK(stored_text(store, id, "maps/two.bsp") == random_text(2, kPartBytes));

    value_of(fetch_one(store, id, fetching(server, {})));
    CHECK(stored_bytes(store, id) == bytes);
    CHECK(server.sent_bytes() < bytes.size() + 8192);
}

TEST_CASE_FIXTURE(ServedMaps, "partial fetch: the closure of a name, and one language") {
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, id, fetching(server, {.closures = {"maps/one.bsp"}})));
    CHECK(stored_text(store, id, "textures/wall.tga") == random_text(3, kPartBytes));
    CHECK(stored_text(store, id, "textures/sky.tga").starts_with("missing: "));
    CHECK(stored_text(store, id, "sound/hello.wav").starts_with("missing: "));
    value_of(fetch_one(store, id, fetching(server, {.names = {"sound/**"}, .tags = {{"lang", "de"}}})));
    CHECK(stored_text(store, id, "sound/hello.wav", "lang=de") == random_text(6, kPartBytes));
    CHECK(stored_text(store, id, "sound/hello.wav").starts_with("missing: "));
    const auto all = value_of(fetch_one(store, id, fetching(server, {.tags = {{"lang", "de"}}})));
    CHECK(stored_text(store, id, "textures/sky.tga") == random_text(4, kPartBytes));
    CHECK(all.plan.bundles[0].left_bytes >= kPartBytes);
    CHECK(all.plan.bundles[0].left_bytes < kPartBytes + 8192);
}

TEST_CASE("partial fetch: one format of textures, with what has no format and, where it is absent, the first one") {
    BundlePlan plan;
    const auto add_variants = [&](const std::string& name, const std::vector<std::pair<std::uint32_t, Tags>>& all) {
        PlannedName planned{.name = name_of(name)};
        for (const auto& [seed, tags] : all)
            planned.variants.push_back({.tags = tags,
                                        .asset = add_asset(plan, name + std::to_string(seed),
                                                           random_text(seed, kPartBytes), "application/octet-stream")});
        plan.names.push_back(std::move(planned));
    };
    add_variants("textures/sky", {{31, {{"texture", "png"}}}, {32, {{"texture", "bc7"}}}, {33, {{"texture", "astc"}}}});
    add_variants("textures/sign", {{41, {{"lang", "de"}, {"texture", "astc"}}},
                                   {42, {{"lang", "de"}, {"texture", "bc7"}}},
                                   {43, {{"lang", "fr"}, {"texture", "astc"}}}});
    add_variants("textures/wood", {{51, {{"texture", "png"}}}, {52, {{"texture", "bc7"}}}});
    add(plan, "maps/one.bsp", random_text(61, kPartBytes), "application/octet-stream");
    const Bytes bytes = written(plan);
    const BundleId id = bundle_id_of(bytes);
    const TreeServer server({bytes});
    const auto fetched_parts = [&](Tags tags) {
        const ScratchFolder scratch;
        const BundleStore store = make_store(scratch);
        const auto fetched = value_of(fetch_one(store, id, fetching(server, {.tags = std::move(tags)})));
        CHECK(fetched.plan.bundles[0].fetch_bytes / kPartBytes + fetched.plan.bundles[0].left_bytes / kPartBytes == 9);
        CHECK(stored_text(store, id, "maps/one.bsp") == random_text(61, kPartBytes));
        std::vector<std::uint32_t> seeds;
        for (const std::uint32_t seed : {31u, 32u, 33u, 41u, 42u, 43u, 51u, 52u}) {
            const std::string content = random_text(seed, kPartBytes);
            const std::string found = stored_text(store, id, "/assets/" + asset_id_of(bytes_of(content)).hex());
            if (found == content)
                seeds.push_back(seed);
            else
                CHECK(found.starts_with("missing: "));
        }
        return seeds;
    };
    using Seeds = std::vector<std::uint32_t>;
    CHECK(fetched_parts({{"texture", "astc"}}) == Seeds{33, 41, 43, 51});
    CHECK(fetched_parts({{"texture", "bc7"}}) == Seeds{32, 42, 52});
    CHECK(fetched_parts({{"texture", "bc7"}, {"texture", "png"}}) == Seeds{31, 32, 42, 51, 52});
    CHECK(fetched_parts({{"lang", "fr"}, {"texture", "astc"}}) == Seeds{33, 43, 51});
}

// maps/one.bsp refers to textures/wall.tga of a library of textures, and by its name to sound/step.wav of another one;
// the texture refers to a palette beside it. Both libraries, and the game, have more.
struct GameOfThree {
    Bytes textures;
    Bytes sounds;
    Bytes game;
};

AssetId noise_id(std::uint32_t seed) { return asset_id_of(bytes_of(random_text(seed, kPartBytes))); }

Bytes library_of(const std::vector<std::pair<std::string, std::uint32_t>>& files, bool first_needs_second) {
    BundlePlan plan;
    for (const auto& [name, seed] : files)
        add(plan, name, random_text(seed, kPartBytes), "application/octet-stream");
    if (first_needs_second)
        plan.assets[0].references.push_back({.spelling = "palette", .target = PlannedReference::Internal{1}});
    return written(plan);
}

GameOfThree game_of_three() {
    GameOfThree three;
    three.textures = library_of(
        {{"textures/wall.tga", 11}, {"textures/palette.pal", 12}, {"textures/sky.tga", 13}, {"maps/one.bsp", 14}},
        true);
    three.sounds = library_of({{"sound/step.wav", 21}, {"sound/shot.wav", 22}}, false);
    BundlePlan plan;
    add(plan, "maps/one.bsp", random_text(31, kPartBytes), "application/octet-stream");
    add(plan, "maps/two.bsp", random_text(32, kPartBytes), "application/octet-stream");
    plan.assets[0].references = {
        {.spelling = "step", .target = PlannedReference::Dynamic{"sound/step.wav"}},
        {.spelling = "wall", .target = PlannedReference::Foreign{.asset = noise_id(11), .dependency = 0}}};
    for (const Bytes* const needed : {&three.textures, &three.sounds})
        plan.dependencies.push_back(
            {.bundle = bundle_id_of(*needed), .name = "library", .version = "1", .is_static = true});
    plan.consumes.push_back({.text = "sound/step.wav"});
    three.game = written(plan);
    return three;
}

TEST_CASE("partial fetch: a closure that leads into other bundles brings these parts of them, and no others") {
    const ScratchFolder scratch;
    const GameOfThree three = game_of_three();
    const TreeServer server({three.textures, three.sounds, three.game});
    const BundleStore store = make_store(scratch);
    const auto fetched =
        value_of(fetch_one(store, bundle_id_of(three.game), fetching(server, {.closures = {"maps/one.bsp"}})));

    REQUIRE(fetched.plan.bundles.size() == 3);
    const auto plan_of = [&](const Bytes& bundle) {
        const auto found = std::ranges::find(fetched.plan.bundles, bundle_id_of(bundle), &PlannedFetch::bundle);
        REQUIRE(found != fetched.plan.bundles.end());
        return *found;
    };
    CHECK(plan_of(three.textures).fetch_bytes / kPartBytes == 2);
    CHECK(plan_of(three.textures).left_bytes / kPartBytes == 2);
    CHECK(plan_of(three.sounds).fetch_bytes / kPartBytes == 1);
    CHECK(plan_of(three.sounds).left_bytes / kPartBytes == 1);
    CHECK(plan_of(three.game).fetch_bytes / kPartBytes == 1);
    CHECK(plan_of(three.game).left_bytes / kPartBytes == 1);
    CHECK(server.sent_bytes() == fetched.received_bytes);

    Vfs vfs;
    for (const Bytes* const bundle : {&three.textures, &three.sounds, &three.game})
        value_of(vfs.mount(value_of(store.open_bundle(bundle_id_of(*bundle))), {.allow_unsigned = true}));
    const std::string map = "maps/one.bsp";
    CHECK(value_of(vfs.find_missing({&map, 1}, ContentReach::closures)).empty());
    const File opened = value_of(vfs.open(map));
    CHECK(opened.bundle_id() == bundle_id_of(three.game));
    for (const auto& [reference, seed] : {std::pair("wall", 11u), {"step", 21u}}) {
        const File file = value_of(vfs.open({reference, {}, &opened}));
        Bytes read(file.size_bytes());
        CHECK(file.read_all(read));
        CHECK(text_of(read) == random_text(seed, kPartBytes));
    }
    for (const auto& [name, seed] : {std::pair("textures/sky.tga", 13u), {"sound/shot.wav", 22u}}) {
        const std::string path = name;
        const auto missing = value_of(vfs.find_missing({&path, 1}));
        REQUIRE(missing.size() == 1);
        CHECK(missing[0].assets == std::vector<AssetId>{noise_id(seed)});
    }
}

TEST_CASE("partial fetch: of a name that several bundles have, only that of the bundle that is asked for is wanted") {
    const ScratchFolder scratch;
    const GameOfThree three = game_of_three();
    const TreeServer server({three.textures, three.sounds, three.game});
    const BundleStore store = make_store(scratch);
    value_of(fetch_one(store, bundle_id_of(three.game), fetching(server, {.closures = {"maps/one.bsp"}})));
    CHECK(stored_text(store, bundle_id_of(three.textures), "maps/one.bsp").starts_with("missing: "));
    // A name that only a dependency has.
    value_of(fetch_one(store, bundle_id_of(three.game), fetching(server, {.closures = {"sound/shot.wav"}})));
    CHECK(stored_text(store, bundle_id_of(three.sounds), "sound/shot.wav") == random_text(22, kPartBytes));
}

TEST_CASE("partial fetch: a selection that means nothing is refused before content is fetched") {
    const ScratchFolder scratch;
    const Bytes bytes = game_of_maps();
    const TreeServer server({bytes});
    const BundleStore store = make_store(scratch);
    const auto code = [&](ContentSelection selection) {
        return fetch_one(store, bundle_id_of(bytes), fetching(server, std::move(selection))).error().code();
    };
    CHECK(code({.names = {"maps/three*"}}) == ErrorCode::missing);
    CHECK(code({.closures = {"maps/three.bsp"}}) == ErrorCode::missing);
    CHECK(code({.names = {"a**b"}}) == ErrorCode::malformed);
    CHECK(value_of(store.list()).empty());
}

}  // namespace fardel::tests::partial_fetch_test
