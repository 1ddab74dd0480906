#include "inspect/inspection.h"

#include "vfs/test_bundle.h"

#include <fardel/format/manifest.h>
#include <fardel/vfs/vfs.h>

namespace fardel::tests::explanation_test {

Explanation explain(const Vfs& vfs, std::string_view path) { return value_of(vfs.explain(path)); }

TEST_CASE("explain: every mount that has the name is listed, highest precedence first") {
    Author author;
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "low").write(), labelled("low", -1));
    mount(vfs, BundleMaker().add("a", "old").write(), labelled("old", 1));
    mount(vfs, author.sign(BundleMaker().add("a", "new").write()),
          {.priority = 1, .policy = &author.policy(), .label = "new"});
    mount(vfs, BundleMaker().add_unpublished("a", "own").write(), labelled("own", 2));
    mount(vfs, BundleMaker().add_variants("a", {"hd"}, true).write(), labelled("hd", 3));
    mount(vfs, BundleMaker().add("other", "x").write(), labelled("other", 4));

    const Explanation out = explain(vfs, "/a");
    CHECK(out.path == "/a");
    CHECK(out.kind == PathKind::published);
    REQUIRE(out.candidates.size() == 5);
    const auto check = [&](std::size_t i, std::string_view label, CandidateOutcome outcome, std::string_view content) {
        CHECK(out.candidates[i].mount.label == label);
        CHECK(candidate_outcome_text(out.candidates[i].outcome) == candidate_outcome_text(outcome));
        CHECK(out.candidates[i].asset == id_of(content));
        CHECK(out.candidates[i].size_bytes == content.size());
        CHECK(out.candidates[i].name == "a");
    };
    check(0, "hd", CandidateOutcome::extends_only, "hd");
    check(1, "own", CandidateOutcome::not_published, "own");
    check(2, "new", CandidateOutcome::wins, "new");
    check(3, "old", CandidateOutcome::mounted_earlier, "old");
    check(4, "low", CandidateOutcome::lower_priority, "low");
    CHECK(out.winner == std::size_t{2});
    CHECK(out.candidates[2].mount.signers == std::vector<std::string>{"author"});
    CHECK_FALSE(out.candidates[2].mount.tainted);
    CHECK(out.candidates[3].mount.tainted);
    CHECK(out.candidates[0].variants == 1);
}

TEST_CASE("explain: if a tombstone decides, there is no winner") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "below").write(), labelled("below", 0));
    mount(vfs, BundleMaker().add_tombstone("a").write(), labelled("above", 1));
    const Explanation out = explain(vfs, "/a");
    REQUIRE(out.candidates.size() == 2);
    CHECK(out.candidates[0].outcome == CandidateOutcome::tombstone);
    CHECK(out.candidates[1].outcome == CandidateOutcome::lower_priority);
    CHECK_FALSE(out.winner);
}

TEST_CASE("explain: damage decides, and is reported") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "below").write());
    mount(vfs, damage_table(BundleMaker().add("a", "above").write(), TableKind::name_buckets), unsigned_at("", 1));
    const Explanation out = explain(vfs, "/a");
    REQUIRE(out.candidates.size() == 2);
    CHECK(out.candidates[0].outcome == CandidateOutcome::damaged);
    REQUIRE(out.candidates[0].error);
    CHECK(out.candidates[0].error->code() == ErrorCode::corrupt);
    CHECK(out.candidates[1].outcome == CandidateOutcome::lower_priority);
    CHECK_FALSE(out.winner);
}

TEST_CASE("explain: it agrees with open, for names of every kind") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "1").add("b", "2").add("d/x", "3").write(),
          {.case_rule = CaseRule::fold, .allow_unsigned = true});
    mount(vfs, BundleMaker().add("a", "4").add_tombstone("b").add_variants("c", {"5", "6"}).write(),
          unsigned_at("", 1));
    const std::string bundle = vfs.mounts().at(0).bundle.hex();
    for (const std::string& path :
         {std::string("/"), std::string("/a"), std::string("/A"), std::string("/b"), std::string("/B"),
          std::string("/c"), std::string("/d"), std::string("/d/x"), std::string("/nothing"), std::string("/assets/x"),
          "/assets/" + id_of("1").hex(), "/assets/" + id_of("9").hex(), "/bundles/" + bundle,
          "/bundles/" + bundle + "/a", "/bundles/" + bundle + "/b", "/bundles/" + std::string(64, '0') + "/a"}) {
        CAPTURE(path);
        const Explanation out = explain(vfs, path);
        const auto file = vfs.open(path);
        CHECK(out.winner.has_value() == static_cast<bool>(file));
        if (file && out.winner) {
            CHECK(out.candidates[*out.winner].asset == file->asset_id());
            CHECK(out.candidates[*out.winner].mount.bundle == file->bundle_id());
        }
        CHECK(out.folder == static_cast<bool>(vfs.list(path)));
    }
    CHECK(outcome_of(vfs.explain("a/")) == "malformed");
    CHECK(outcome_of(vfs.explain("")) == "malformed");
}

TEST_CASE("explain: for an asset, it lists the chosen copy and the bad copies") {
    const std::string content = noise_text(70'000, 1);
    const Bytes good = BundleMaker().add("a", content).write();
    Vfs vfs;
    mount(vfs, BundleMaker().add("c", content).write(), labelled("third", 1));
    mount(vfs, good, labelled("second", 2));
    mount(vfs, damage_content(BundleMaker().add("b", content).write(), id_of(content)), labelled("first", 3));
    const Explanation out = explain(vfs, "/assets/" + id_of(content).hex());
    REQUIRE(out.candidates.size() == 3);
    CHECK(out.candidates[0].outcome == CandidateOutcome::damaged);
    CHECK(out.candidates[0].error);
    CHECK(out.candidates[1].outcome == CandidateOutcome::wins);
    CHECK(out.candidates[2].outcome == CandidateOutcome::same_content);
    CHECK(out.winner == std::size_t{1});
}

TEST_CASE("explain: with extensions, the path that gives the asset is explained, and those before it are listed") {
    const NameExtensions images = NameExtensions::parse("tga,jpg,png").value();
    Vfs vfs;
    mount(vfs, BundleMaker().add("t/wall.png", "png").add("t/wall.jpg", "jpg").write(), labelled("base"));
    mount(vfs, BundleMaker().add_tombstone("t/wall.jpg").write(), labelled("mod"));
    const auto paths = [](std::vector<std::string> list) { return list; };
    const Explanation found = vfs.explain({"t/wall", &images}).value();
    CHECK(found.path == "/t/wall.png");
    CHECK(found.tried == paths({"/t/wall", "/t/wall.tga", "/t/wall.jpg"}));
    REQUIRE(found.winner);
    CHECK(found.candidates[*found.winner].asset == id_of("png"));
    const Explanation none = vfs.explain({"/t/none", &images}).value();
    CHECK(none.path == "/t/none");
    CHECK(none.tried == paths({"/t/none.tga", "/t/none.jpg", "/t/none.png"}));
    CHECK_FALSE(none.winner);
    CHECK(vfs.explain({"/t", &images}).value().folder);
    CHECK(explain(vfs, "/t/wall").tried.empty());
    CHECK(vfs.explain({"/assets/" + id_of("png").hex(), &images}).value().tried.empty());
}

TEST_CASE("explain: a path that an asset refers to is explained as any path") {
    Vfs vfs;
    mount(vfs, BundleMaker().add("a", "text").write());
    const File from = vfs.open("a").value();
    const Explanation out = vfs.explain({"/a", {}, &from}).value();
    CHECK(out.winner == std::size_t{0});
    CHECK(out.route == ReferenceRoute::none);
}

TEST_CASE("explain: a reference says whether it is static or dynamic, and is explained where it leads") {
    BundleMaker base;
    base.add("map", "map").add("wall", "wall").add("door", "door").add_unpublished("own", "own");
    base.plan().assets[0].references = {
        {.spelling = "to wall", .target = PlannedReference::Internal{1}, .name = "wall"},
        {.spelling = "to id", .target = PlannedReference::Internal{3}},
        {.spelling = "to door", .target = PlannedReference::Dynamic{"door"}},
        {.spelling = "to nothing", .target = PlannedReference::Dynamic{"nothing"}}};
    const Bytes bundle = base.write();
    Vfs vfs;
    mount(vfs, bundle);
    mount(vfs, BundleMaker().add("wall", "mod's wall").add("door", "mod's door").write(), unsigned_at("", 1));
    const File from = vfs.open("/map").value();
    const auto check = [&](std::string_view reference, ReferenceRoute route, const std::string& path,
                           std::string_view content) {
        CAPTURE(reference);
        const Explanation out = value_of(vfs.explain({reference, {}, &from}));
        CHECK(reference_route_text(out.route) == reference_route_text(route));
        CHECK(out.path == path);
        CHECK(out.winner.has_value() == !content.empty());
        const auto found = vfs.find({reference, {}, &from}).value();
        CHECK(found.has_value() == !content.empty());
        if (out.winner && found) {
            CHECK(out.candidates[*out.winner].asset == found->asset_id());
            CHECK(found->asset_id() == id_of(content));
        }
    };
    const std::string own = "/bundles/" + bundle_id_of(bundle).hex();
    check("to wall", ReferenceRoute::fixed, own + "/wall", "wall");
    check("to id", ReferenceRoute::fixed, "/assets/" + id_of("own").hex(), "own");
    check("to door", ReferenceRoute::dynamic, "/door", "mod's door");
    check("to nothing", ReferenceRoute::dynamic, "/nothing", "");
    check("own", ReferenceRoute::unlisted, own + "/own", "own");
    check("wall", ReferenceRoute::unlisted, own + "/wall", "wall");
    CHECK_FALSE(value_of(vfs.explain({"no such", {}, &from})).winner);
}

TEST_CASE("scope: what a bundle requires comes after a name of its own that is dynamic") {
    const Bytes base = BundleMaker().add("door", "base's").write();
    BundleMaker maker;
    maker.title("mod").add("map", "map").add("door", "mod's");
    maker.plan().assets[0].references = {{.spelling = "door", .target = PlannedReference::Dynamic{"door"}}};
    Vfs vfs;
    mount(vfs, base);
    MountOptions options = unsigned_at("", 1);
    options.resolved = {bundle_id_of(base)};
    mount(vfs, maker.write(), options);
    const File from = vfs.open("/map").value();
    CHECK(text_of(vfs.open({"door", {}, &from}).value().read_all().value()) == "mod's");
    mount(vfs, BundleMaker().add("door", "another's").version("2").write(), unsigned_at("", 2));
    CHECK(text_of(vfs.open({"door", {}, &from}).value().read_all().value()) == "another's");
}

}  // namespace fardel::tests::explanation_test
