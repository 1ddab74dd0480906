#include "write/name_tables.h"

#include "bundle-format/plans.h"

#include <fardel/format/manifest.h>

namespace fardel::tests::name_tables_test {

// "asset: axis=value …" of each variant, in order.
std::vector<std::string> variants_of(const AuditedBundle& audit, std::string_view name) {
    std::vector<std::string> variants;
    const NameRecord& record = audit.name(name);
    for (const VariantRecord& variant : std::span(audit.variants).subspan(record.target, record.count)) {
        const auto& content = audit.contents[variant.asset];
        std::string text(reinterpret_cast<const char*>(content.data()), content.size());
        text += ":";
        for (const TagRecord& tag : std::span(audit.tags).subspan(variant.tag_first, variant.tag_count))
            text += " " + audit.text(tag.axis) + "=" + audit.text(tag.value);
        variants.push_back(text);
    }
    return variants;
}

TEST_CASE("name tables: a name of one untagged variant is plain") {
    BundlePlan plan;
    add(plan, "b", "two");
    add(plan, "a", "one");
    plan.names[0].published = false;
    const AuditedBundle audit = audited(plan);
    CHECK(audit.variants.empty());
    CHECK(audit.name("a").flags == NameRecord::published);
    CHECK(audit.name("b").flags == 0);
    CHECK(audit.content_named("a") == "one");
}

TEST_CASE("name tables: variants keep their order, tags are sorted by axis") {
    BundlePlan plan;
    const auto png = add_asset(plan, "wall.png", "png"), astc = add_asset(plan, "wall.astc", "astc"),
               hd = add_asset(plan, "wall.hd", "hd");
    plan.names.push_back(
        {.name = name_of("wall"),
         .variants = {{.asset = png}, {{{"texture", "png"}, {"quality", "hd"}}, hd}, {{{"texture", "astc"}}, astc}}});
    plan.names.push_back({.name = name_of("floor"), .variants = {{{{"texture", "astc"}}, astc}}});
    plan.names.push_back({.name = name_of("base/door"), .variants = {{.asset = hd}}, .extends = true});
    const AuditedBundle audit = audited(plan);
    CHECK(variants_of(audit, "wall") ==
          std::vector<std::string>{"png:", "hd: quality=hd texture=png", "astc: texture=astc"});
    CHECK(variants_of(audit, "floor") == std::vector<std::string>{"astc: texture=astc"});
    CHECK(audit.name("floor").flags == (NameRecord::published | NameRecord::has_variants));
    CHECK(variants_of(audit, "base/door") == std::vector<std::string>{"hd:"});
    CHECK(audit.name("base/door").flags == (NameRecord::published | NameRecord::has_variants | NameRecord::extends));
}

TEST_CASE("name tables: a name without variants is a tombstone") {
    BundlePlan plan;
    plan.names.push_back({.name = name_of("gone")});
    const AuditedBundle audit = audited(plan);
    CHECK(audit.name("gone").flags == (NameRecord::published | NameRecord::tombstone));
    CHECK(audit.assets.empty());
}

TEST_CASE("name tables: an asset is stored once, with no name and with many") {
    BundlePlan plan;
    const auto shared = add_asset(plan, "1", "shared");
    add_asset(plan, "2", "nameless");
    for (const char* name : {"x", "y", "z"})
        plan.names.push_back({.name = name_of(name), .variants = {{.asset = shared}}});
    const AuditedBundle audit = audited(plan);
    CHECK(audit.assets.size() == 2);
    for (const char* name : {"x", "y", "z"})
        CHECK(audit.content_named(name) == "shared");
}

TEST_CASE("name tables: buckets are right from one name to many") {  // checked by the audit
    for (const int count : {1, 3, 4, 5, 8, 9, 16, 17, 1000}) {
        BundlePlan plan;
        const auto asset = add_asset(plan, "asset", "x");
        for (int i = 0; i < count; ++i)
            plan.names.push_back({.name = name_of("folder/" + std::to_string(i)), .variants = {{.asset = asset}}});
        CHECK(audited(plan).names.size() == static_cast<std::size_t>(count));
    }
}

}  // namespace fardel::tests::name_tables_test
