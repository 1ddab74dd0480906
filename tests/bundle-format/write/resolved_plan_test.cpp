#include "write/resolved_plan.h"

#include "bundle-format/plans.h"

#include <fardel/format/manifest.h>

namespace fardel::tests::resolved_plan_test {

using Internal = PlannedReference::Internal;
using Foreign = PlannedReference::Foreign;
using Dynamic = PlannedReference::Dynamic;
using Strings = std::vector<std::string>;

AssetId id(std::uint8_t first) { return AssetId{{first}}; }

TEST_CASE("resolved plan: references are sorted by spelling and lead where the plan says") {
    BundlePlan plan;
    const auto a = add(plan, "a", "one");
    const auto b = add(plan, "b", "two");
    plan.dependencies = {{.bundle = BundleId{{1}}, .name = "base", .version = "1"},
                         {.bundle = BundleId{{2}}, .name = "more", .version = "2"}};
    plan.assets[a].references = {{"zz", Internal{b}, true},
                                 {"aa", Dynamic{"maps/x"}},
                                 {"mm", Foreign{id(9), 1}},
                                 {"nn", Foreign{id(3), 0}, true}};
    plan.assets[b].references = {{"self", Internal{b}}};
    const AuditedBundle audit = audited(plan);
    CHECK(audit.references_of(audit.asset_named("a")) ==
          Strings{"aa->maps/x", "mm->foreign 1", "nn->foreign 0?",
                  "zz->#" + std::to_string(audit.asset_named("b")) + "?"});
    CHECK(audit.references_of(audit.asset_named("b")) == Strings{"self->#" + std::to_string(audit.asset_named("b"))});
    REQUIRE(audit.foreign_assets.size() == 2);
    CHECK(audit.foreign_assets[0] == ForeignAssetRecord{id(3), 0});
    CHECK(audit.foreign_assets[1] == ForeignAssetRecord{id(9), 1});
    REQUIRE(audit.dependencies.size() == 2);
    CHECK(audit.text(audit.dependencies[1].name) == "more");
    CHECK(audit.text(audit.dependencies[1].version) == "2");
    CHECK(audit.dependencies[1].flags == DependencyRecord::is_static);
}

TEST_CASE("resolved plan: a foreign asset is listed once per dependency that a reference names") {
    BundlePlan plan;
    add(plan, "a", "one");
    add(plan, "b", "two");
    plan.dependencies = {{.bundle = BundleId{{1}}}, {.bundle = BundleId{{2}}}};
    plan.assets[0].references = {{"x", Foreign{id(9), 1}}};
    plan.assets[1].references = {{"x", Foreign{id(9), 0}}, {"y", Foreign{id(9), 0}}};
    const AuditedBundle audit = audited(plan);
    REQUIRE(audit.foreign_assets.size() == 2);
    CHECK(audit.foreign_assets[0].dependency == 0);
    CHECK(audit.foreign_assets[1].dependency == 1);
    CHECK(audit.references.size() == 3);
}

TEST_CASE("resolved plan: the name of a target gives it by default, and assets with equal bytes must agree on it") {
    BundlePlan plan;
    add(plan, "a", "same");
    add(plan, "b", "same");
    add(plan, "c", "other");
    add(plan, "d", "other");
    plan.assets[0].references = {{"x", Internal{2}, false, "c"}, {"y", Internal{2}, false, "c"}};
    plan.assets[1].references = {{"x", Internal{2}, false, "d"}, {"y", Internal{3}, false, "c"}};
    const AuditedBundle audit = audited(plan);
    REQUIRE(audit.references.size() == 2);
    CHECK((audit.references[0].flags & ReferenceRecord::named) == 0);
    CHECK(audit.text(audit.references[1].name) == "c");
    plan.assets[1].references = {};
    plan.assets[0].references = {{"x", Internal{2}, false, "a"}};
    CHECK(refusal(plan) == "malformed: asset \"a\": reference \"x\": its target is not the asset of \"a\"");
    plan.assets[0].references = {{"x", Internal{2}, false, "nowhere"}};
    CHECK(refusal(plan).ends_with("its target is not the asset of \"nowhere\""));
}

TEST_CASE("resolved plan: assets with the same bytes have the references and metadata of all") {
    BundlePlan plan;
    add(plan, "a", "same");
    add(plan, "b", "same");
    add(plan, "c", "other");
    plan.assets[0].references = {{"x", Internal{2}, true}, {"y", Internal{0}}};
    plan.assets[1].references = {{"x", Internal{2}, false}, {"y", Internal{1}}, {"z", Dynamic{"c"}}};
    plan.assets[0].metadata = {{"licence", std::string("MIT")}, {"metric.size", 1.0}};
    plan.assets[1].metadata = {{"licence", std::string("MIT")}, {"expires", std::int64_t{-7}}};
    const AuditedBundle audit = audited(plan);
    const auto same = audit.asset_named("a");
    CHECK(same == audit.asset_named("b"));
    CHECK(audit.references_of(same) == Strings{"x->#" + std::to_string(audit.asset_named("c")),
                                               "y->#" + std::to_string(same),
                                               "z->c"});  // x is required because one asset requires it
    CHECK(audit.metadata_of(same) == Strings{"expires=-7", "licence=MIT", "metric.size=1.000000"});
}

TEST_CASE(
    "resolved plan: assets with the same bytes that contradict each other are refused, and the error names both") {
    BundlePlan plan;
    add(plan, "b", "same");
    add(plan, "a", "same");
    add(plan, "c", "other");
    plan.assets[0].references = {{"x", Internal{2}}};
    plan.assets[1].references = {{"x", Internal{0}}};
    CHECK(refusal(plan) ==
          "malformed: assets \"a\" and \"b\", which have the same bytes: reference \"x\" has two targets");
    plan.assets[1].references = {{"x", Dynamic{"c"}}};
    CHECK(refusal(plan).starts_with("malformed: assets \"a\" and \"b\""));
    plan.assets[1].references = {};
    plan.assets[0].metadata = {{"licence", std::string("MIT")}};
    plan.assets[1].metadata = {{"licence", std::string("GPL")}};
    CHECK(refusal(plan) ==
          "malformed: assets \"a\" and \"b\", which have the same bytes: metadata \"licence\" has two values");
    std::swap(plan.assets[0].metadata, plan.assets[0].creator_metadata);
    std::swap(plan.assets[1].metadata, plan.assets[1].creator_metadata);
    CHECK(refusal(plan).starts_with("malformed: assets \"a\" and \"b\""));
}

TEST_CASE("resolved plan: an asset or a bundle that contradicts itself is refused") {
    BundlePlan plan;
    add(plan, "a", "x");
    add(plan, "b", "y");
    plan.assets[0].references = {{"x", Internal{0}}, {"x", Internal{1}}};
    CHECK(refusal(plan) == "malformed: asset \"a\": reference \"x\" has two targets");
    plan.assets[0].references = {};
    plan.metadata = {{"name", std::string("x")}, {"name", std::string("y")}};
    CHECK(refusal(plan) == "malformed: the bundle: metadata \"name\" has two values");
    plan.metadata = {{"key", 1.0}, {"key", std::int64_t{1}}};
    CHECK(refusal(plan) == "malformed: the bundle: metadata \"key\" has two values");
    plan.metadata = {{"key", 1.0}, {"key", 1.0}};
    CHECK(audited(plan).metadata.size() == 1);
}

TEST_CASE("resolved plan: metadata of every kind are written, the bundle's behind the assets'") {
    BundlePlan plan;
    add(plan, "a", "x");
    plan.assets[0].metadata = {{"metric.zero", -0.0}, {"flag", true}, {"text", std::string()}};
    plan.assets[0].creator_metadata = {{"author", std::string("me")}};
    plan.metadata = {{"name", std::string("bundle")}, {"no", false}};
    plan.creator_metadata = {{"tool", std::string("test")}};
    const AuditedBundle audit = audited(plan);
    CHECK(audit.metadata_of(0) == Strings{"flag=true", "metric.zero=0.000000", "text="});
    CHECK(audit.metadata_of(kBundleSubject) == Strings{"name=bundle", "no=false"});
    CHECK(audit.creator_metadata.size() == 2);
    CHECK(audit.assets[0].metadata_first == 0);
}

TEST_CASE("resolved plan: consumed names are sorted, and required if one entry requires them") {
    BundlePlan plan;
    plan.consumes = {
        {"maps/**", true, true}, {"gfx/logo", false, false}, {"maps/**", true, false}, {"gfx/logo", false, true}};
    const AuditedBundle audit = audited(plan);
    REQUIRE(audit.consumes.size() == 2);
    CHECK(audit.text(audit.consumes[0].text) == "gfx/logo");
    CHECK(audit.consumes[0].flags == 0);
    CHECK(audit.text(audit.consumes[1].text) == "maps/**");
    CHECK(audit.consumes[1].flags == ConsumeRecord::pattern);
    plan.consumes = {{"gfx/logo", true, false}, {"gfx/logo", false, false}};
    CHECK(refusal(plan) == "malformed: consumed name \"gfx/logo\" is planned as a name and as a pattern");
}

TEST_CASE("resolved plan: the union of many references must be within the limits") {
    BundlePlan plan;
    for (int i = 0; i < 3; ++i) {
        add(plan, "asset " + std::to_string(i), "same");
        for (int k = 0; k < 400; ++k)
            plan.assets.back().metadata.push_back({"key " + std::to_string(i) + "." + std::to_string(k), true});
    }
    CHECK(refusal(plan).starts_with("limit: "));
}

}  // namespace fardel::tests::resolved_plan_test
