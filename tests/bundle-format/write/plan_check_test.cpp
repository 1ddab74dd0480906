#include "write/plan_check.h"

#include "bundle-format/plans.h"

#include <fardel/format/limits.h>

#include <functional>
#include <limits>

namespace fardel::tests::plan_check_test {

BundlePlan good_plan() {
    BundlePlan plan;
    add(plan, "a", "x");
    add(plan, "b", "y");
    plan.dependencies = {{.bundle = BundleId{{1}}, .name = "base", .version = "1"},
                         {.bundle = BundleId{{2}}, .is_static = false}};
    return plan;
}

// Returns the error of a good plan after `spoil`. The check opens no source.
std::string refused(const std::function<void(BundlePlan&)>& spoil) {
    BundlePlan plan = good_plan();
    REQUIRE(verify_plan(plan));
    spoil(plan);
    const Status status = verify_plan(plan);
    REQUIRE_FALSE(status);
    CHECK(refusal(plan) == status.error().text());
    return status.error().text();
}

std::string refused_reference(PlannedReference reference) {
    return refused([&](BundlePlan& plan) { plan.assets[0].references = {reference}; });
}

std::string refused_metadata(PlannedMetadata item) {
    return refused([&](BundlePlan& plan) { plan.assets[1].metadata = {item}; });
}

std::string refused_variants(std::vector<PlannedVariant> variants) {
    return refused([&](BundlePlan& plan) { plan.names[0].variants = variants; });
}

TEST_CASE("plan check: an asset has a source and a media type in lower case") {
    CHECK(refused([](auto& plan) { plan.assets[1].source = nullptr; }) == "malformed: asset \"b\": has no source");
    for (const char* type : {"text", "text/", "/plain", "text/plain/x", "Text/plain", "text/pläin",
                             "text/plain; charset=utf-8", " text/plain", "text /plain"})
        CHECK(refused([&](auto& plan) {
                  plan.assets[0].content_type = type;
              }).starts_with("malformed: asset \"a\": content type "));
    CHECK(has(refused([&](auto& plan) { plan.assets[0].content_type = "text/" + std::string(128, 'x'); }),
              "content type"));
    BundlePlan plan = good_plan();
    for (const std::string& type : {std::string(), std::string("model/gltf-binary"),
                                    std::string("application/vnd.id-software.bsp+x"), "x/" + std::string(127, 'x')}) {
        plan.assets[0].content_type = type;
        CHECK(verify_plan(plan));
    }
    CHECK(content_type_of(PlannedAsset{}) == "application/octet-stream");
}

TEST_CASE("plan check: two assets with one key are refused") {
    CHECK(refusal([] {
              BundlePlan plan = good_plan();
              plan.assets[1].key = "a";
              plan.assets[1].content_type = "image/png";
              return plan;
          }()) == "malformed: asset \"a\": two assets have this key");
}

TEST_CASE("plan check: a reference has a spelling and a target that exists") {
    CHECK(has(refused_reference({"", PlannedReference::Internal{1}}), "no spelling"));
    CHECK(has(refused_reference({"x", PlannedReference::Dynamic{"x"}, false, "x"}), "no name in a bundle"));
    CHECK(has(refused_reference({"x", PlannedReference::Internal{1}, false, "../x"}), "target of reference"));
    CHECK(refused_reference({"x", PlannedReference::Internal{2}}) ==
          "malformed: asset \"a\": reference \"x\": no planned asset 2");
    CHECK(has(refused_reference({"x", PlannedReference::Foreign{AssetId{}, 2}}), "no dependency 2"));
    CHECK(has(refused_reference({"x", PlannedReference::Foreign{AssetId{}, 1}}), "not a static one"));
    CHECK(has(refused_reference({"x", PlannedReference::Dynamic{"../up"}}),
              "malformed: asset \"a\": target of reference \"x\": "));
    CHECK(has(refused_reference({std::string("x\0y", 3), PlannedReference::Internal{1}}), "NUL"));
    CHECK(has(refused_reference({"\xff", PlannedReference::Internal{1}}), "not UTF-8"));
    CHECK(has(refused_reference({"\xed\xa0\x80", PlannedReference::Internal{1}}), "not UTF-8"));
    CHECK(refused_reference({std::string(65536, 'x'), PlannedReference::Internal{1}}).starts_with("limit: "));
    BundlePlan plan = good_plan();
    plan.assets[0].references = {{std::string(65535, 'x'), PlannedReference::Internal{0}},
                                 {"über\\alles", PlannedReference::Foreign{AssetId{}, 0}}};
    CHECK(verify_plan(plan));
    CHECK(refused([](auto& p) {
              p.assets[0].references.edit().resize(limits::kReferencesPerAssetMax + 1,
                                                   {"x", PlannedReference::Internal{0}});
          }).starts_with("limit: "));
}

TEST_CASE("plan check: metadata has keys, strings that can be stored, and numbers that are numbers") {
    CHECK(has(refused_metadata({"", true}), "no key"));
    CHECK(has(refused_metadata({std::string("a\0b", 3), true}), "NUL"));
    CHECK(has(refused_metadata({"a", std::string("\xc0\x80")}), "not UTF-8"));
    CHECK(has(refused_metadata({"a", std::numeric_limits<double>::quiet_NaN()}), "finite"));
    CHECK(has(refused_metadata({"a", -std::numeric_limits<double>::infinity()}), "finite"));
    CHECK(has(refused_metadata({"metric.polygons", std::int64_t{3}}), "a metric is a number"));
    CHECK(has(refused_metadata({"expires", 1.5}), "expected an integer"));
    CHECK(has(refused_metadata({"version", std::int64_t{3}}), "expected text"));
    CHECK(refused([](auto& plan) {
              plan.metadata = {{"name", 1.0}};
          }) == "malformed: metadata \"name\": expected text");
    CHECK(refused([](auto& plan) { plan.creator_metadata = {{"", 1.0}}; }).starts_with("malformed: "));
    CHECK(refused([](auto& plan) {
              plan.assets[0].creator_metadata = {{"", 1.0}};
          }).starts_with("malformed: asset \"a\": "));
    CHECK(refused([](auto& plan) {
              plan.metadata.resize(limits::kMetadataPerSubjectMax + 1, {"x", 1.0});
          }).starts_with("limit: "));
}

TEST_CASE("plan check: variants have assets that exist and tags that distinguish them") {
    CHECK(refused_variants({{.asset = 2}}) == "malformed: name \"a\": no planned asset 2");
    CHECK(has(refused_variants({{{{"texture", "bc7"}, {"texture", "astc"}}, 0}, {.asset = 1}}),
              "two tags for \"texture\""));
    CHECK(has(refused_variants({{{{"a", "1"}, {"b", "2"}}, 0}, {{{"b", "2"}, {"a", "1"}}, 1}}), "same tags"));
    CHECK(has(refused_variants({{.asset = 0}, {.asset = 1}}), "same tags"));
    for (const char* word : {"", "a b", "a=b", "a,b", "a;b", "ä", "*"}) {
        CHECK(has(refused_variants({{{{word, "x"}}, 0}}), "axis and value"));
        CHECK(has(refused_variants({{{{"x", word}}, 0}}), "axis and value"));
    }
    Tags tags;
    for (int i = 0; i < 17; ++i)
        tags.push_back({"axis" + std::to_string(i), "x"});
    CHECK(refused_variants({{tags, 0}}).starts_with("limit: "));
    std::vector<PlannedVariant> variants;
    for (int i = 0; i < 257; ++i)
        variants.push_back({{{"n", std::to_string(i)}}, 0});
    CHECK(refused_variants(variants).starts_with("limit: "));
    tags.pop_back();
    variants.pop_back();
    variants[0].tags = tags;
    BundlePlan plan = good_plan();
    plan.names[0].variants = variants;
    CHECK(verify_plan(plan));
}

TEST_CASE("plan check: a tombstone is published, and extends nothing") {
    CHECK(has(refused([](auto& plan) {
                  plan.names[0].variants.clear();
                  plan.names[0].published = false;
              }),
              "tombstone"));
    CHECK(has(refused([](auto& plan) {
                  plan.names[0].variants.clear();
                  plan.names[0].extends = true;
              }),
              "no variants to add"));
}

TEST_CASE("plan check: a published name is no path that an id gives") {  // A15
    const std::string id(64, '0');
    for (const std::string& name : {std::string("assets"), std::string("bundles"), "assets/" + id,
                                    "assets/" + id + "/x", "bundles/" + id, "bundles/" + id + "/maps/a"}) {
        CAPTURE(name);
        CHECK(refused([&](auto& plan) {
                  plan.names[0].name = AssetName::parse(name).value();
              }).starts_with("malformed: name \"" + name.substr(0, 6)));
        BundlePlan plan = good_plan();
        plan.names[0].name = AssetName::parse(name).value();
        plan.names[0].published = false;
        CHECK(verify_plan(plan));
    }
    BundlePlan plan = good_plan();
    plan.names[0].name = AssetName::parse("assets/minecraft/stone.png").value();
    CHECK(verify_plan(plan));
}

TEST_CASE("plan check: a consumed name is a name or a glob") {
    CHECK(refused([](auto& plan) {
              plan.consumes = {{.text = "a//b"}};
          }).starts_with("malformed: consumed name \"a//b\": "));
    const auto consumes_own = [](auto& plan) { plan.consumes = {{.text = fold_name(plan.names[0].name.view())}}; };
    CHECK(has(refused(consumes_own), "which is in it"));
    CHECK(refused([](auto& plan) { plan.consumes = {{.text = "a/*"}}; }).starts_with("malformed: "));
    CHECK(refused([](auto& plan) { plan.consumes = {{.text = "a//*", .pattern = true}}; }).starts_with("malformed: "));
}

TEST_CASE("plan check: a dependency is declared once, with strings that can be stored") {
    CHECK(refused([](auto& plan) { plan.dependencies.push_back(plan.dependencies[0]); }) ==
          "malformed: dependency " + BundleId{{1}}.hex() + " is declared twice");
    CHECK(has(refused([](auto& plan) { plan.dependencies[0].name = "\xff"; }), "name of a dependency"));
    CHECK(has(refused([](auto& plan) { plan.dependencies[0].version = std::string("\0", 1); }),
              "version of a dependency"));
    CHECK(refused([](auto& plan) {
              plan.dependencies.clear();
              for (std::uint32_t i = 0; i <= limits::kDependenciesMax; ++i) {
                  BundleId id;
                  std::memcpy(id.bytes.data(), &i, sizeof i);
                  plan.dependencies.push_back({.bundle = id});
              }
          }).starts_with("limit: "));
}

TEST_CASE("plan check: messages show no raw control characters of the plan") {  // A74
    const std::string text = refused([](auto& plan) {
        plan.assets[0].key = "evil\x1b[31m\n";
        plan.assets[0].source = nullptr;
    });
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
}

}  // namespace fardel::tests::plan_check_test
