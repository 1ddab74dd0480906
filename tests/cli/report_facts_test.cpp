#include "report/report_facts.h"

#include "report/report_audit.h"
#include "report/report_selection.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace fardel;

namespace {

AssetId id_of(std::uint8_t byte) {
    AssetId id;
    id.bytes.fill(byte);
    return id;
}

BundleId bundle_of(std::uint8_t byte) {
    BundleId id;
    id.bytes.fill(byte);
    return id;
}

ContentAsset asset_of(std::uint8_t id, std::uint64_t raw_bytes, std::string type = "image/png") {
    return {.id = id_of(id), .content_type = std::move(type), .raw_bytes = raw_bytes, .stored_bytes = raw_bytes / 2};
}

ContentName name_of(std::string text, std::uint32_t asset, bool published = true) {
    return {.text = std::move(text), .published = published, .variants = {{.asset = asset}}};
}

ContentReference internal(std::string spelling, std::uint8_t id) {
    return {.spelling = std::move(spelling), .kind = ReferenceKind::internal, .asset = id_of(id)};
}
ContentReference dynamic(std::string name, bool optional = false) {
    return {.spelling = name, .kind = ReferenceKind::dynamic, .optional = optional, .name = name};
}

// A map that refers to a texture, by name to a sound of the other bundle, and to what nobody has; a base with the
// sound.
ReportFacts two_bundles() {
    ReportFacts facts;
    ReportBundle base{.file = "base.fardel", .id = bundle_of(1)};
    base.contents.assets = {asset_of(1, 100, "audio/wav"), asset_of(2, 40)};
    base.contents.names = {name_of("sound/step.wav", 0), name_of("textures/sky.png", 1)};
    ReportBundle mod{.file = "mod.fardel", .id = bundle_of(2)};
    mod.contents.assets = {asset_of(1, 100, "audio/wav"), asset_of(5, 1000, "application/x-bsp"), asset_of(6, 60)};
    mod.contents.assets[1].references = {
        internal("textures/wall", 6),
        dynamic("sound/step.wav"),
        dynamic("textures/gone.png"),
        dynamic("textures/maybe.png", true),
        {.spelling = "sky", .kind = ReferenceKind::foreign, .asset = id_of(2), .dependency = 0}};
    mod.contents.assets[2].references = {internal("itself", 6)};
    mod.contents.names = {name_of("maps/one.bsp", 1), name_of("textures/wall.png", 2),
                          name_of("textures/wall2.png", 2)};
    mod.contents.dependencies = {{.bundle = bundle_of(1), .name = "base", .is_static = true}};
    facts.bundles = {std::move(base), std::move(mod)};
    derive_facts(facts);
    return facts;
}

}  // namespace

TEST_CASE("report facts: references lead inside, into dependencies, to published names, or nowhere") {
    const ReportFacts facts = two_bundles();
    CHECK(facts.node_count() == 5);
    CHECK(facts.bundle_of(1) == 0);
    CHECK(facts.bundle_of(2) == 1);
    REQUIRE(facts.references.size() == 6);
    CHECK(facts.references[0].to == 4u);
    CHECK(facts.references[1].to == 0u);
    CHECK_FALSE(facts.references[2].to);
    CHECK(facts.references[2].wanted == "textures/gone.png");
    CHECK(facts.references[3].optional);
    CHECK(facts.references[4].to == 1u);
    CHECK_FALSE(facts.references[4].dynamic);
}

TEST_CASE("report facts: a root's closure counts each asset once and what it misses") {
    const ReportFacts facts = two_bundles();
    REQUIRE(facts.roots.size() == 1);  // the wall refers to itself, and the map to it
    CHECK(facts.roots[0].node == 3);
    CHECK(facts.roots[0].assets == 4);
    CHECK(facts.roots[0].raw_bytes == 1200);
    CHECK(facts.roots[0].missing == 1);
}

TEST_CASE("report facts: duplicates are assets behind several names, of one bundle or of several") {
    const ReportFacts facts = two_bundles();
    REQUIRE(facts.duplicates.size() == 1);
    CHECK(facts.duplicates[0].asset == id_of(6));
    CHECK(facts.duplicates[0].copies == 1);
    CHECK(facts.duplicates[0].names ==
          std::vector<std::pair<std::uint32_t, std::string>>{{1, "textures/wall.png"}, {1, "textures/wall2.png"}});
}

TEST_CASE("report selection: what is shown and what is summed up is all there is") {
    ReportFacts facts;
    ReportBundle bundle{.file = "many.fardel", .id = bundle_of(1)};
    for (std::uint32_t i = 0; i < 200; ++i) {
        bundle.contents.assets.push_back(
            asset_of(static_cast<std::uint8_t>(i), 10 + i, i % 2 == 0 ? "image/png" : "text/plain"));
        if (i != 7)  // one has no name
            bundle.contents.names.push_back(
                name_of("folder" + std::to_string(i % 50) + "/deep/file" + std::to_string(1000 + i), i));
    }
    std::ranges::sort(bundle.contents.names, {}, &ContentName::text);
    bundle.contents.assets[3].references = {internal("a", 4), internal("b", 5), internal("c", 6)};
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
    // The largest, and small ones that others refer to.
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
        R"({"missing": [{"from": "a.shader", "spelling": "b", "use": "texture", "line": 3, "tried": ["b.tga", 7]}, {}, 5], "unused": [{"name": "x", "size": 12}],
                                       "roots": [{"root": "maps/a.bsp", "names": [1, 2, 3], "size": 99, "missing": 2}, {"names": -1}], "broken": "no list", "more": null})");
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
        const auto refused = parse_audit(text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code() == ErrorCode::malformed);
    }
}
