// plan_digest: each change of a plan changes its digest.
#include "plan/plan_digest.h"

#include "kit/ids.h"
#include "kit/test.h"

#include <functional>
#include <set>

namespace fardel::tests::plan_digest_test {

BundlePlan plan() {
    BundlePlan plan;
    plan.assets.resize(2);
    PlannedAsset& asset = plan.assets[0];
    asset.key = "a";
    asset.content_type = "image/png";
    asset.known = PlannedAsset::Known{.asset = tests::filled_id<AssetId>(1), .size_bytes = 5};
    asset.references = {{.spelling = "b", .target = PlannedReference::Internal{1}},
                        {.spelling = "c", .target = PlannedReference::Foreign{tests::filled_id<AssetId>(2), 0}},
                        {.spelling = "d", .target = PlannedReference::Dynamic{"d"}}};
    asset.metadata = {{"text", std::string("1")}, {"number", 1.5}, {"integer", std::int64_t{1}}, {"truth", true}};
    asset.creator_metadata = {{"by", std::string("me")}};
    plan.assets[1].key = "b";
    plan.assets[1].known = PlannedAsset::Known{.asset = tests::filled_id<AssetId>(3), .size_bytes = 5};
    plan.names = {
        {.name = *AssetName::parse("n/a"), .variants = {{.asset = 0}, {.tags = {{"quality", "hd"}}, .asset = 1}}},
        {.name = *AssetName::parse("n/gone")}};
    plan.consumes = {{.text = "fonts/**", .pattern = true}};
    plan.dependencies = {{.bundle = tests::filled_id<BundleId>(4), .name = "base", .version = "1"}};
    plan.metadata = {{"name", std::string("game")}};
    plan.creator_metadata = {{"tool", std::string("x")}};
    return plan;
}

using Change = std::function<void(BundlePlan&)>;

const std::pair<const char*, Change> kChanges[] = {
    {"asset", [](BundlePlan& p) { p.assets[0].known->asset = tests::filled_id<AssetId>(9); }},
    {"key", [](BundlePlan& p) { p.assets[0].key = "x"; }},
    {"content type", [](BundlePlan& p) { p.assets[0].content_type = "image/jpeg"; }},
    {"rank", [](BundlePlan& p) { p.assets[0].rank = 0; }},
    {"larger rank", [](BundlePlan& p) { p.assets[0].rank = 1; }},
    {"streamed", [](BundlePlan& p) { p.assets[0].streamed = true; }},
    {"one asset less", [](BundlePlan& p) { p.assets.pop_back(); }},
    {"spelling", [](BundlePlan& p) { p.assets[0].references[0].spelling = "x"; }},
    {"optional reference", [](BundlePlan& p) { p.assets[0].references[0].optional = true; }},
    {"internal target", [](BundlePlan& p) { p.assets[0].references[0].target = PlannedReference::Internal{0}; }},
    {"foreign asset",
     [](BundlePlan& p) {
         p.assets[0].references[1].target = PlannedReference::Foreign{tests::filled_id<AssetId>(9), 0};
     }},
    {"foreign dependency",
     [](BundlePlan& p) {
         p.assets[0].references[1].target = PlannedReference::Foreign{tests::filled_id<AssetId>(2), 1};
     }},
    {"dynamic target", [](BundlePlan& p) { p.assets[0].references[2].target = PlannedReference::Dynamic{"x"}; }},
    {"kind of target", [](BundlePlan& p) { p.assets[0].references[2].target = PlannedReference::Internal{1}; }},
    {"one reference less", [](BundlePlan& p) { p.assets[0].references.edit().pop_back(); }},
    {"metadata text", [](BundlePlan& p) { p.assets[0].metadata[0].value = std::string("2"); }},
    {"metadata number", [](BundlePlan& p) { p.assets[0].metadata[1].value = 1.25; }},
    {"metadata integer", [](BundlePlan& p) { p.assets[0].metadata[2].value = std::int64_t{2}; }},
    {"metadata truth", [](BundlePlan& p) { p.assets[0].metadata[3].value = false; }},
    {"metadata kind", [](BundlePlan& p) { p.assets[0].metadata[3].value = std::int64_t{1}; }},
    {"metadata key", [](BundlePlan& p) { p.assets[0].metadata[0].key = "x"; }},
    {"one metadata less", [](BundlePlan& p) { p.assets[0].metadata.edit().pop_back(); }},
    {"creator metadata", [](BundlePlan& p) { p.assets[0].creator_metadata[0].value = std::string("you"); }},
    {"metadata moved to the creator's",
     [](BundlePlan& p) {
         p.assets[0].creator_metadata.push_back(p.assets[0].metadata.edit().back()),
             p.assets[0].metadata.edit().pop_back();
     }},
    {"name", [](BundlePlan& p) { p.names[0].name = *AssetName::parse("n/x"); }},
    {"published", [](BundlePlan& p) { p.names[0].published = false; }},
    {"extends", [](BundlePlan& p) { p.names[0].extends = true; }},
    {"variant's asset", [](BundlePlan& p) { p.names[0].variants[0].asset = 1; }},
    {"tag's axis", [](BundlePlan& p) { p.names[0].variants[1].tags[0].axis = "x"; }},
    {"tag's value", [](BundlePlan& p) { p.names[0].variants[1].tags[0].value = "sd"; }},
    {"order of variants", [](BundlePlan& p) { std::swap(p.names[0].variants[0], p.names[0].variants[1]); }},
    {"tombstone", [](BundlePlan& p) { p.names.pop_back(); }},
    {"consume", [](BundlePlan& p) { p.consumes[0].text = "x"; }},
    {"pattern", [](BundlePlan& p) { p.consumes[0].pattern = false; }},
    {"optional consume", [](BundlePlan& p) { p.consumes[0].optional = true; }},
    {"dependency", [](BundlePlan& p) { p.dependencies[0].bundle = tests::filled_id<BundleId>(9); }},
    {"dependency's name", [](BundlePlan& p) { p.dependencies[0].name = "x"; }},
    {"dependency's version", [](BundlePlan& p) { p.dependencies[0].version = "2"; }},
    {"static", [](BundlePlan& p) { p.dependencies[0].is_static = false; }},
    {"bundle metadata", [](BundlePlan& p) { p.metadata[0].value = std::string("x"); }},
    {"bundle's creator metadata", [](BundlePlan& p) { p.creator_metadata[0].key = "x"; }},
};

TEST_CASE("plan digest: equal plans have equal digests") {
    CHECK(plan_digest(plan()) == plan_digest(plan()));
    // The source of the bytes is not part of the digest.
    BundlePlan other = plan();
    other.assets[0].source = make_memory_blob({});
    CHECK(plan_digest(other) == plan_digest(plan()));
}

TEST_CASE("plan digest: every field of a plan changes the digest, each in a different way") {  // A111
    std::set<std::string> digests{plan_digest(plan()).hex()};
    for (const auto& change : kChanges) {
        CAPTURE(change.first);
        BundlePlan changed = plan();
        change.second(changed);
        CHECK(digests.insert(plan_digest(changed).hex()).second);
    }
}

}  // namespace fardel::tests::plan_digest_test
