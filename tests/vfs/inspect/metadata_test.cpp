#include "vfs/test_bundle.h"

#include <fardel/vfs/vfs.h>

#include "kit/files.h"

namespace fardel::tests::metadata_test {

constexpr std::int64_t k2020 = 1'577'836'800;

using Entries = std::vector<PlannedMetadata>;

std::string shown(const MetadataEntry& entry) {
    std::string value = std::visit(
        [](const auto& one) {
            if constexpr (std::is_same_v<std::decay_t<decltype(one)>, std::string>)
                return one;
            else
                return std::to_string(one);
        },
        entry.value);
    return entry.key + "=" + value + (entry.of_bundle ? " of bundle" : "");
}

std::string shown(const Metadata& metadata) {
    std::string text;
    for (const MetadataEntry& entry : metadata.entries)
        text += (text.empty() ? "" : "; ") + shown(entry);
    return text;
}

// "wall" states everything itself, "door" nothing.
Bytes make_bundle(Entries of_wall, Entries of_bundle) {
    BundleMaker maker;
    maker.add("wall", "wall").add("door", "door").version("1.0");
    maker.plan().assets[0].metadata = std::move(of_wall);
    for (PlannedMetadata& item : of_bundle)
        maker.plan().metadata.push_back(std::move(item));
    return maker.write();
}

TEST_CASE("metadata: what an asset states comes before what its bundle states, and whose it is is said") {
    const Bytes bundle = make_bundle({{.key = "licence", .value = std::string("proprietary")},
                                      {.key = "metric.pixels", .value = 1024.0},
                                      {.key = "expires", .value = std::int64_t{4'000'000'000}},
                                      {.key = "ours", .value = true}},
                                     {{.key = "licence", .value = std::string("CC-BY-4.0")},
                                      {.key = "origin", .value = std::string("https://example.org")},
                                      {.key = "metric.levels", .value = 12.0}});
    Vfs vfs;
    mount(vfs, bundle);
    const Metadata wall = value_of(vfs.metadata("/wall"));
    CHECK(shown(wall) ==
          "expires=4000000000; licence=proprietary; metric.pixels=1024.000000; "
          "origin=https://example.org of bundle; ours=1");
    CHECK(wall.asset == id_of("wall"));
    CHECK(wall.bundle == bundle_id_of(bundle));
    // Name, version and metrics of a bundle say nothing about its assets.
    CHECK(shown(value_of(vfs.metadata("door"))) == "licence=CC-BY-4.0 of bundle; origin=https://example.org of bundle");
    CHECK(shown(value_of(metadata_of(vfs.open("/wall").value()))) == shown(wall));
    CHECK(shown(value_of(vfs.metadata("/assets/" + id_of("wall").hex()))) == shown(wall));
    const std::string id = "/bundles/" + bundle_id_of(bundle).hex();
    CHECK(shown(value_of(vfs.metadata(id + "/wall"))) == shown(wall));
    const Metadata own = value_of(vfs.metadata(id));
    CHECK_FALSE(own.asset);
    CHECK(shown(own) ==
          "licence=CC-BY-4.0 of bundle; metric.levels=12.000000 of bundle; name=test of bundle; "
          "origin=https://example.org of bundle; version=1.0 of bundle");
    for (const std::string_view nothing : {"/", "/none", "/bundles", "/assets"})
        CHECK(outcome_of(vfs.metadata(nothing)) == "missing");
    CHECK(value_of(vfs.stat("/wall")).has_metadata);
    CHECK_FALSE(value_of(vfs.stat("/door")).has_metadata);
    CHECK_FALSE(value_of(vfs.stat("/")).has_metadata);
}

TEST_CASE("metadata: license and licence are one key, however the bundle spells it") {
    Vfs vfs;
    mount(vfs, make_bundle({{.key = "license", .value = std::string("MIT")}},
                           {{.key = "licence", .value = std::string("GPL-2.0")}}));
    const Metadata wall = value_of(vfs.metadata("/wall"));
    CHECK(shown(wall) == "licence=MIT");
    REQUIRE(wall.find("license") != nullptr);
    CHECK(wall.find("license") == wall.find("licence"));
    CHECK(wall.find("none") == nullptr);
}

// ---- The date of an asset -------------------------------------------------------------------------------------------

struct ExpiredWall {
    Author author;
    const Bytes bundle = [this] {
        BundleMaker maker;
        maker.add("wall", "wall").add("map", "map").add_unpublished("own", "own");
        maker.plan().assets[0].metadata = {{.key = "expires", .value = k2020}};
        maker.plan().assets[2].metadata = {{.key = "expires", .value = k2020}};
        maker.plan().assets[1].references = {{.spelling = "listed", .target = PlannedReference::Internal{0}},
                                             {.spelling = "dynamic", .target = PlannedReference::Dynamic{"wall"}}};
        return author.sign(maker.write());
    }();
    const std::string id = "/bundles/" + bundle_id_of(bundle).hex();
};

TEST_CASE_FIXTURE(ExpiredWall, "expires: an asset whose date has passed is opened by no way, and the rest is") {
    Vfs vfs;
    SUBCASE("under a policy") { mount(vfs, bundle, {.policy = &author.policy()}); }
    SUBCASE("without one") { mount(vfs, bundle); }
    CHECK(content_at(vfs, "/map") == "map");
    const NameExtensions extensions = NameExtensions::parse("tga,png").value();
    const std::string by_id = "/assets/" + id_of("wall").hex();
    for (const std::string& path : {std::string("/wall"), std::string("wall"), id + "/wall", id + "/own", by_id}) {
        CAPTURE(path);
        CHECK(outcome_of(vfs.open(path)) == "expired");
        CHECK(outcome_of(vfs.find(path)) == "expired");
        CHECK(outcome_of(vfs.open({path, &extensions})) == "expired");
        CHECK(outcome_of(vfs.stat(path)) == "ok");
        CHECK(outcome_of(vfs.metadata(path)) == "ok");
        const Explanation explanation = value_of(vfs.explain(path));
        CHECK_FALSE(explanation.winner);
        REQUIRE(explanation.candidates.size() == 1);
        CHECK(explanation.candidates[0].outcome == CandidateOutcome::refused);
        CHECK(explanation.candidates[0].error->code() == ErrorCode::expired);
    }
    const File map = vfs.open("/map").value();
    for (const std::string_view reference : {"listed", "dynamic", "wall", "own"})
        CHECK(outcome_of(vfs.open({reference, {}, &map})) == "expired");
    const std::string text = vfs.open("/wall").error().message();
    for (const std::string_view part :
         {std::string_view("\"/wall\""), std::string_view("expired on 2020-01-01"),
          std::string_view("look for a newer"), std::string_view("expired-content allow")})
        CHECK(text.find(part) != std::string::npos);
    CHECK(text.find(id_of("wall").hex()) != std::string::npos);
}

TEST_CASE_FIXTURE(ExpiredWall, "expires: an asset's date is judged by the mount's time, and a policy can allow it") {
    TrustRules rules = author.policy().rules();
    rules.expired_content_allowed = true;
    const TrustPolicy allowing = value_of(TrustPolicy::make(rules));
    Vfs vfs;
    SUBCASE("allowed") { mount(vfs, bundle, {.policy = &allowing}); }
    SUBCASE("allowed to one who did not sign") {
        Author other;
        TrustRules strangers = other.policy().rules();
        strangers.expired_content_allowed = true;
        const TrustPolicy policy = value_of(TrustPolicy::make(strangers));
        mount(vfs, bundle, {.policy = &policy, .allow_unsigned = true});
    }
    SUBCASE("before") { mount(vfs, bundle, {.policy = &author.policy(), .time = TrustTime::at({k2020 - 1})}); }
    SUBCASE("ignored") { mount(vfs, bundle, {.policy = &author.policy(), .time = TrustTime::ignored()}); }
    CHECK(content_at(vfs, "/wall") == "wall");
    CHECK(content_at(vfs, "/assets/" + id_of("wall").hex()) == "wall");
    CHECK(value_of(vfs.explain("/wall")).winner == std::size_t{0});
}

TEST_CASE_FIXTURE(ExpiredWall, "expires: by its id, an asset comes from a bundle that states no date that has passed") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("other", "wall").write());
    mount(vfs, bundle, unsigned_at("", 1));
    CHECK(content_at(vfs, "/assets/" + id_of("wall").hex()) == "wall");
    CHECK(content_at(vfs, "/other") == "wall");
    CHECK(outcome_of(vfs.open("/wall")) == "expired");
}

TEST_CASE("expires: an asset that leads to the metadata of another one, or of none, is not opened") {
    BundleMaker maker;
    maker.add("a", "a").add("b", "b");
    maker.plan().assets[0].metadata = {{.key = "ours", .value = true}};
    maker.plan().assets[1].metadata = {{.key = "ours", .value = true}};
    const Bytes bundle = maker.write();
    constexpr std::size_t kMetadataFirst = 56;  // docs/bundle-format.md, "assets"
    for (const int first : {0, 1, 77}) {
        const Bytes hostile = rewrite_table(bundle, TableKind::assets, [&](std::span<std::byte> page) {
            for (const std::size_t asset : {std::size_t{0}, std::size_t{1}})
                page[64 * asset + kMetadataFirst] = static_cast<std::byte>(first);
        });
        Vfs vfs;
        mount(vfs, hostile);
        int malformed = 0;
        for (const std::string_view path : {"/a", "/b"})
            malformed += outcome_of(vfs.open(path)) == "malformed" ? 1 : 0;
        CHECK(malformed == (first == 77 ? 2 : 1));
    }
}

}  // namespace fardel::tests::metadata_test
