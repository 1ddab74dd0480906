#include "report/report_facts.h"

#include "bundle_forge/bundle_forge.h"
#include "sample.h"

#include "kit/ids.h"
#include "report/report_audit.h"
#include "report/report_selection.h"

#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/vfs.h>

namespace fardel::tests::report_facts_test {

ContentAsset asset_of(std::uint8_t id, std::uint64_t raw_bytes, std::string type = "image/png") {
    return {.id = filled_id<AssetId>(id),
            .content_type = std::move(type),
            .raw_bytes = raw_bytes,
            .stored_bytes = raw_bytes / 2};
}

ContentName name_of(std::string text, std::uint32_t asset, bool published = true) {
    return {.text = std::move(text), .published = published, .variants = {{.asset = asset}}};
}

// A base with a sound and a sky; a mod with the same sound, a map that refers to its wall, by name to the sound of the
// base and to what does not exist, and to the sky of the base; and a wall with two names, which refers to itself.
struct TwoBundles {
    ScratchFolder scratch;
    std::vector<std::string> files;

    TwoBundles() {
        forge::Recipe base;
        base.assets = {{.bytes = forge::noise(100, 1), .content_type = "audio/wav"}, {.bytes = forge::noise(40, 2)}};
        base.names = {{"sound/step.wav", {{0, {}}}}, {"textures/sky.png", {{1, {}}}}};
        const forge::ForgedBundle forged_base = forge::forge(base);
        forge::Recipe mod;
        mod.assets = {{.bytes = forge::noise(100, 1), .content_type = "audio/wav"},
                      {.bytes = forge::noise(1000, 5),
                       .references = {{"textures/wall", forge::Reference::Internal{2}},
                                      {"sound/step.wav", forge::Reference::Dynamic{"sound/step.wav"}},
                                      {"textures/gone.png", forge::Reference::Dynamic{"textures/gone.png"}},
                                      {"textures/maybe.png", forge::Reference::Dynamic{"textures/maybe.png"}, true},
                                      {"sky", forge::Reference::Foreign{asset_id_of(base.assets[1]), 0}}}},
                      {.bytes = forge::noise(60, 6), .references = {{"itself", forge::Reference::Internal{2}}}}};
        mod.names = {{"maps/one.bsp", {{1, {}}}}, {"textures/wall.png", {{2, {}}}}, {"textures/wall2.png", {{2, {}}}}};
        mod.dependencies = {{forged_base.id, "base", "", true}};
        files = {scratch.write("base.fardel", forged_base.bytes), scratch.write("mod.fardel", forge::forge(mod).bytes)};
    }

    static AssetId asset_id_of(const forge::Asset& asset) { return id_from<AssetId>(blake3(asset.bytes)); }
};

MountOptions unsigned_at(int priority = 0, CaseRule rule = CaseRule::exact) {
    MountOptions options;
    options.priority = priority;
    options.case_rule = rule;
    options.allow_unsigned = true;
    return options;
}

ReportFacts gather(const std::vector<std::string>& files) {
    Vfs vfs;
    for (const std::string& file : files)
        REQUIRE(vfs.mount(file, unsigned_at()));
    return value_of(gather_facts(vfs, files));
}

// The node of the first asset behind a name.
std::uint32_t node_of(const ReportFacts& facts, std::uint32_t bundle, std::string_view name) {
    const ReportBundle& of = facts.bundles.at(bundle);
    const auto found = std::ranges::find(of.contents.names, name, &ContentName::text);
    REQUIRE(found != of.contents.names.end());
    return of.first_node + found->variants.at(0).asset;
}

const ReportReference& reference_of(const ReportFacts& facts, std::string_view spelling) {
    const auto found = std::ranges::find(facts.references, spelling, &ReportReference::spelling);
    REQUIRE(found != facts.references.end());
    return *found;
}

std::optional<AssetId> target_of(const ReportFacts& facts, std::string_view spelling) {
    const ReportReference& reference = reference_of(facts, spelling);
    return reference.to ? std::optional(facts.asset(*reference.to).id) : std::nullopt;
}

// Returns the output of `fardel which` for a published name.
std::optional<AssetId> which(const Vfs& vfs, std::string_view name) {
    const auto explanation = vfs.explain("/" + std::string(name));
    REQUIRE(explanation);
    return explanation->winner ? explanation->candidates[*explanation->winner].asset : std::nullopt;
}

TEST_CASE("report facts: references lead inside, into dependencies, to published names, or nowhere") {
    const TwoBundles game;
    const ReportFacts facts = gather(game.files);
    CHECK(facts.node_count() == 5);
    CHECK(facts.bundle_of(1) == 0);
    CHECK(facts.bundle_of(2) == 1);
    REQUIRE(facts.references.size() == 6);
    CHECK(reference_of(facts, "textures/wall").to == node_of(facts, 1, "textures/wall.png"));
    CHECK(reference_of(facts, "sound/step.wav").to == node_of(facts, 0, "sound/step.wav"));
    CHECK_FALSE(reference_of(facts, "textures/gone.png").to);
    CHECK(reference_of(facts, "textures/gone.png").wanted == "textures/gone.png");
    CHECK(reference_of(facts, "textures/maybe.png").optional);
    CHECK(reference_of(facts, "sky").to == node_of(facts, 0, "textures/sky.png"));
    CHECK_FALSE(reference_of(facts, "sky").dynamic);
}

TEST_CASE("report facts: a reference leads where the VFS resolves it: priority, case rule, variants, tombstones") {
    const ScratchFolder scratch;
    const auto refer = [](std::string name) { return forge::Reference{name, forge::Reference::Dynamic{name}}; };
    forge::Recipe base;
    base.assets = {{.bytes = forge::noise(90, 1),
                    .references = {refer("sky.png"),
                                   refer("Textures/WALL.png"),
                                   refer("floor.png"),
                                   refer("old.cfg"),
                                   refer("secret.dat"),
                                   {"/sky.png", forge::Reference::Internal{0}}}},
                   {.bytes = forge::noise(91, 2)},
                   {.bytes = forge::noise(92, 3)},
                   {.bytes = forge::noise(93, 4)},
                   {.bytes = forge::noise(94, 5)},
                   {.bytes = forge::noise(95, 6)}};
    base.names = {{"maps/one.bsp", {{0, {}}}},      {"sky.png", {{1, {}}}},
                  {"textures/wall.png", {{2, {}}}}, {"floor.png", {{3, {{"quality", "hd"}}}, {4, {{"quality", "sd"}}}}},
                  {"old.cfg", {{5, {}}}},           {"secret.dat", {{5, {}}}, false}};
    forge::Recipe mod;
    mod.assets = {{.bytes = forge::noise(80, 7)}, {.bytes = forge::noise(81, 8)}, {.bytes = forge::noise(82, 9)}};
    mod.names = {{"sky.png", {{0, {}}}},
                 {"textures/wall.png", {{1, {}}}},
                 {"floor.png", {{2, {{"quality", "low"}}}}, true, true},
                 {"old.cfg", {}}};
    const std::vector<std::string> files{scratch.write("base.fardel", forge::forge(base).bytes),
                                         scratch.write("mod.fardel", forge::forge(mod).bytes)};
    const auto id_in = [](const forge::Asset& asset) { return TwoBundles::asset_id_of(asset); };
    struct Case {
        int base_priority;
        CaseRule rule;
        std::string variants;
        std::optional<AssetId> sky, wall, floor, old;
    };
    const Case cases[] = {
        {0, CaseRule::exact, "", id_in(mod.assets[0]), std::nullopt, id_in(base.assets[3]), std::nullopt},
        {1, CaseRule::exact, "quality=sd", id_in(base.assets[1]), std::nullopt, id_in(base.assets[4]),
         id_in(base.assets[5])},
        {0, CaseRule::fold, "quality=low,sd", id_in(mod.assets[0]), id_in(mod.assets[1]), id_in(mod.assets[2]),
         std::nullopt},
        {1, CaseRule::fold, "quality=low,sd", id_in(base.assets[1]), id_in(base.assets[2]), id_in(mod.assets[2]),
         id_in(base.assets[5])},
    };
    for (const Case& expected : cases) {
        CAPTURE(expected.base_priority);
        CAPTURE(expected.variants);
        Vfs vfs;
        REQUIRE(vfs.mount(files[0], unsigned_at(expected.base_priority, expected.rule)));
        REQUIRE(vfs.mount(files[1], unsigned_at(0, expected.rule)));
        vfs.prefer(*parse_variant_preference(expected.variants));
        const auto facts = gather_facts(vfs, files);
        REQUIRE(facts);
        CHECK(target_of(*facts, "sky.png") == expected.sky);
        CHECK(target_of(*facts, "Textures/WALL.png") == expected.wall);
        CHECK(target_of(*facts, "floor.png") == expected.floor);
        CHECK(target_of(*facts, "old.cfg") == expected.old);
        CHECK(target_of(*facts, "/sky.png") == expected.sky);  // an absolute path asks the published tree alone
        CHECK_FALSE(target_of(*facts, "secret.dat"));
        for (const char* name : {"sky.png", "Textures/WALL.png", "floor.png", "old.cfg", "secret.dat"}) {
            CAPTURE(name);
            CHECK(target_of(*facts, name) == which(vfs, name));
        }
    }
}

TEST_CASE("report facts: the closure of a root counts each asset once, and what is missing") {
    const TwoBundles game;
    const ReportFacts facts = gather(game.files);
    REQUIRE(facts.roots.size() == 1);  // the wall refers to itself, and the map to it
    CHECK(facts.roots[0].node == node_of(facts, 1, "maps/one.bsp"));
    CHECK(facts.roots[0].assets == 4);
    CHECK(facts.roots[0].raw_bytes == 1200);
    CHECK(facts.roots[0].missing == 1);
}

TEST_CASE("report facts: duplicates are assets with several names, in one bundle or in several") {
    const TwoBundles game;
    const ReportFacts facts = gather(game.files);
    REQUIRE(facts.duplicates.size() == 1);
    CHECK(facts.duplicates[0].asset == facts.asset(node_of(facts, 1, "textures/wall.png")).id);
    CHECK(facts.duplicates[0].copies == 1);
    CHECK(facts.duplicates[0].names ==
          std::vector<std::pair<std::uint32_t, std::string>>{{1, "textures/wall.png"}, {1, "textures/wall2.png"}});
}

// Facts of bundles with the names of `names`, each an asset of its own number; without mounts.
ReportFacts facts_of(const std::vector<std::vector<std::pair<std::string, std::uint8_t>>>& bundles) {
    ReportFacts facts;
    for (const auto& names : bundles) {
        const auto number = static_cast<std::uint8_t>(facts.bundles.size() + 1);
        ReportBundle bundle{.file = std::to_string(number) + ".fardel", .id = filled_id<BundleId>(number)};
        for (std::uint32_t i = 0; i < names.size(); ++i) {
            bundle.contents.assets.push_back(asset_of(names[i].second, 100));
            bundle.contents.names.push_back(name_of(names[i].first, i));
        }
        facts.bundles.push_back(std::move(bundle));
    }
    return facts;
}

// Why the copy in the last bundle cannot be left out; empty: it can.
std::string obstacle_in_last(ReportFacts facts) {
    derive_facts(facts);
    REQUIRE(facts.sharing.assets.size() == 1);
    REQUIRE(facts.sharing.assets[0].copies.front().is_home);
    CHECK(facts.sharing.fixes.size() == (facts.sharing.assets[0].copies.back().obstacle.empty() ? 1 : 0));
    return facts.sharing.assets[0].copies.back().obstacle;
}

TEST_CASE("report facts: a copy is left out only where that changes nothing for a game") {
    CHECK(obstacle_in_last(facts_of({{{"a", 1}}, {{"a", 1}}})) == "");
    CHECK(obstacle_in_last(facts_of({{{"a", 1}}, {{"b", 1}}})) == "the other bundle has no 'b'");
    CHECK(obstacle_in_last(facts_of({{{"a", 1}}, {{"a", 2}}, {{"a", 1}}})) ==
          "'a' is something else in a third bundle");
    ReportFacts hidden = facts_of({{{"a", 1}}, {{"a", 1}}});
    hidden.bundles[0].contents.names[0].published = false;
    CHECK(obstacle_in_last(hidden) == "'a' is not published by both");
    ReportFacts variants = facts_of({{{"a", 1}}, {{"a", 1}}});
    variants.bundles[1].contents.names[0].variants[0].tags = {{"lang", "fr"}};
    CHECK(obstacle_in_last(variants) == "'a' has other variants there");
    ReportFacts nameless = facts_of({{{"a", 1}}, {{"a", 1}}});
    nameless.bundles[1].contents.names.clear();
    CHECK(obstacle_in_last(nameless) == "it has no name there");
    // Hostile: two bundles that each claim to need the other.
    ReportFacts cycle = facts_of({{{"a", 1}}, {{"a", 1}}});
    for (std::size_t i = 0; i < 2; ++i)
        cycle.bundles[i].contents.dependencies.push_back({.bundle = cycle.bundles[1 - i].id, .is_static = true});
    CHECK(obstacle_in_last(cycle) == "the bundles need each other");
}

TEST_CASE("report selection: listed names and sums together are everything") {
    ReportFacts facts;
    ReportBundle bundle{.file = "many.fardel", .id = filled_id<BundleId>(1)};
    for (std::uint32_t i = 0; i < 200; ++i) {
        bundle.contents.assets.push_back(
            asset_of(static_cast<std::uint8_t>(i), 10 + i, i % 2 == 0 ? "image/png" : "text/plain"));
        if (i != 7)  // one has no name
            bundle.contents.names.push_back(
                name_of("folder" + std::to_string(i % 50) + "/deep/file" + std::to_string(1000 + i), i));
    }
    std::ranges::sort(bundle.contents.names, {}, &ContentName::text);
    for (const std::uint32_t target : {4u, 5u, 6u})
        facts.references.push_back({.from = 3, .to = target});
    facts.bundles = {std::move(bundle)};
    derive_facts(facts);

    for (const SelectionLimits limits :
         {SelectionLimits{}, SelectionLimits{.names_max = 40, .rest_max = 300},
          SelectionLimits{.names_max = 40, .rest_max = 10}, SelectionLimits{.names_max = 0, .rest_max = 0}}) {
        const ReportSelection selection = select_names(facts, limits);
        CAPTURE(limits.rest_max);
        CHECK(selection.names.size() <= limits.names_max);
        CHECK(selection.names.size() + selection.names_left_out == 199);
        CHECK(selection.rest.size() <= std::max<std::size_t>(limits.rest_max, 2));
        std::uint64_t raw = 0, names = selection.names.size();
        for (const SelectedName& name : selection.names)
            raw += name.raw_bytes;
        for (const SelectionRest& rest : selection.rest) {
            raw += rest.raw_bytes;
            names += rest.names;
        }
        CHECK(raw == 200 * 10 + 199 * 100);
        CHECK(names == 199);
    }
    // The largest names, and small ones with references.
    const ReportSelection few = select_names(facts, {.names_max = 40});
    const auto shows = [&](std::uint32_t asset) {
        return std::ranges::any_of(few.names, [&](const SelectedName& name) {
            return facts.bundles[0].contents.names[name.name].variants[0].asset == asset;
        });
    };
    CHECK(shows(199));
    CHECK(shows(3));
    CHECK(shows(6));
    CHECK_FALSE(shows(20));
}

TEST_CASE("report audit: keys that are absent or of another type count as empty") {
    const auto audit = parse_audit(
        R"({"missing": [{"from": "a.shader", "spelling": "b", "use": "texture", "line": 3, "tried": ["b.tga", 7]},)"
        R"({}, 5],)"
        R"("unused": [{"name": "x", "size": 12}],)"
        R"("roots": [{"root": "maps/a.bsp", "names": [1, 2, 3], "size": 99, "missing": 2}, {"names": -1}],)"
        R"("broken": "no list", "more": null})");
    REQUIRE(audit);
    REQUIRE(audit->missing.size() == 3);
    CHECK(audit->missing[0].line == 3);
    CHECK(audit->missing[0].tried == std::vector<std::string>{"b.tga"});
    CHECK(audit->missing[1].from == "");
    CHECK(audit->unused.at(0).bytes == 12);
    CHECK(audit->roots.at(0).names == 3);
    CHECK(audit->roots.at(0).missing == 2);
    CHECK(audit->broken.empty());
    for (const char* text : {"", "[]", "7", "{\"missing\": [", "\xff"}) {
        CHECK(code_of(parse_audit(text)) == ErrorCode::malformed);
    }
}

}  // namespace fardel::tests::report_facts_test
