#include <fardel/verifier/bundle_audit.h>

#include "kit/bundles.h"

namespace fardel::tests::bundle_audit_test {

void refer(BundlePlan& plan, std::uint32_t from, std::string spelling, decltype(PlannedReference::target) target,
           bool optional = false) {
    plan.assets[from].references.push_back(
        {.spelling = std::move(spelling), .target = std::move(target), .optional = optional});
}

PlannedReference::Dynamic name(std::string text) { return {std::move(text)}; }

std::vector<std::string> texts_of(const std::vector<AuditNeed>& needs) {
    std::vector<std::string> texts;
    for (const AuditNeed& need : needs)
        texts.push_back(need.text + (need.optional ? "?" : ""));
    return texts;
}

// A bundle that publishes these names.
std::shared_ptr<const Bundle> bundle_with(const std::vector<std::string>& names) {
    BundlePlan plan;
    for (const std::string& one : names)
        add(plan, one, "content of " + one);
    return open_bundle(written(plan));
}

using Texts = std::vector<std::string>;

TEST_CASE("bundle audit: names that nobody publishes are needed, hard ones first, with who refers to them") {
    BundlePlan plan;
    const auto map = add(plan, "maps/dm.bsp", "map");
    const auto text = add(plan, "maps/dm.txt", "text");
    refer(plan, map, "env/sky", name("env/sky.tga"));
    refer(plan, map, "gfx/logo", name("gfx/logo.tga"), true);
    refer(plan, map, "sound/wind", name("sound/wind.ogg"));
    refer(plan, text, "gfx/logo", name("gfx/logo.tga"), true);
    refer(plan, text, "env/sky", name("env/sky.tga"), true);
    refer(plan, text, "self", PlannedReference::Internal{map});
    plan.consumes = {{.text = "env/sky.*", .pattern = true},
                     {.text = "gfx/logo.tga", .optional = true},
                     {.text = "music/**", .pattern = true},
                     {.text = "fonts/*.ttf", .pattern = true},
                     {.text = "core.cfg"}};
    const auto bundle = open_bundle(written(plan));
    const BundleContents contents = value_of(read_contents(*bundle));
    {
        BundleAuditor auditor(contents);
        const BundleAudit audit = auditor.finish();
        CHECK(audit.references == 6);
        CHECK(audit.inside == 1);
        CHECK(audit.dependencies == 0);
        CHECK(audit.by_name == 5);
        CHECK(texts_of(audit.needs) ==
              Texts{"core.cfg", "env/sky.*", "fonts/*.ttf", "music/**", "sound/wind.ogg", "gfx/logo.tga?"});
        CHECK(audit.needs[1].references == 2);
        CHECK((audit.needs[1].from == "maps/dm.bsp" || audit.needs[1].from == "maps/dm.txt"));
        CHECK(audit.needs[4].from == "maps/dm.bsp");
        CHECK(audit.needs[0].from.empty());
        CHECK(audit.unused.empty());
    }
    BundleAuditor auditor(contents);
    REQUIRE(auditor.add_dependency(*bundle_with({"env/sky.jpg", "env/skyline.tga", "music/a/b.ogg"})));
    REQUIRE(auditor.add_dependency(*bundle_with({"env/sky/x.tga", "fonts/sub/a.ttf", "core.cfg"})));
    CHECK(texts_of(auditor.finish().needs) == Texts{"fonts/*.ttf", "sound/wind.ogg", "gfx/logo.tga?"});
}

TEST_CASE("bundle audit: what is published under \"stem.*\" has one part after the stem") {
    BundlePlan plan;
    const auto map = add(plan, "maps/dm.bsp", "map");
    refer(plan, map, "env/sky", name("env/sky"));
    plan.consumes = {{.text = "env/sky.*", .pattern = true}};
    const auto bundle = open_bundle(written(plan));
    const BundleContents contents = value_of(read_contents(*bundle));
    const auto needs = [&](const std::string& published) {
        BundleAuditor auditor(contents);
        REQUIRE(auditor.add_dependency(*bundle_with({published})));
        return texts_of(auditor.finish().needs);
    };
    CHECK(needs("env/sky.tga").empty());
    CHECK(needs("env/sky.tar.gz").empty());
    CHECK(needs("env/sky.d/a.tga") == Texts{"env/sky.*"});
    CHECK(needs("env/sky2.tga") == Texts{"env/sky.*"});
}

TEST_CASE("bundle audit: a reference to an asset that the dependency does not have is lost") {
    const auto base = bundle_with({"a.txt"});
    BundlePlan plan;
    const auto map = add(plan, "maps/dm.bsp", "map");
    plan.dependencies = {{.bundle = base->id(), .name = "base", .version = "1"}};
    const AssetId there = value_of(base->asset(AssetIndex{0})).id;
    AssetId absent = there;
    absent.bytes[0] = static_cast<std::uint8_t>(absent.bytes[0] ^ 1);
    refer(plan, map, "a", PlannedReference::Foreign{there, 0});
    refer(plan, map, "b", PlannedReference::Foreign{absent, 0});
    const auto bundle = open_bundle(written(plan));
    const BundleContents contents = value_of(read_contents(*bundle));
    BundleAuditor auditor(contents);
    REQUIRE(auditor.add_dependency(*base));
    const BundleAudit audit = auditor.finish();
    CHECK(audit.dependencies == 2);
    CHECK(audit.lost_count == 1);
    REQUIRE(audit.lost.size() == 1);
    CHECK(audit.lost[0] == AuditLoss{.from = "maps/dm.bsp", .spelling = "b", .dependency = 0, .optional = false});
}

TEST_CASE("bundle audit: unused is what is neither published nor reached from something published") {
    BundlePlan plan;
    const auto map = add(plan, "maps/dm.bsp", "map");
    const auto shader = add(plan, "scripts/dm.shader", "shader");
    add(plan, "textures/wall.tga", "wall");
    add(plan, "old/notes.txt", "notes");
    const auto ring = add(plan, "old/ring.txt", "ring");
    refer(plan, map, "s", PlannedReference::Internal{shader});
    refer(plan, shader, "t", PlannedReference::Internal{2});
    refer(plan, ring, "self", PlannedReference::Internal{ring});
    for (std::size_t i = 1; i < plan.names.size(); ++i)
        plan.names[i].published = false;
    const auto bundle = open_bundle(written(plan));
    const BundleContents contents = value_of(read_contents(*bundle));
    const BundleAudit audit = BundleAuditor(contents).finish();
    CHECK(audit.unused == std::vector<std::string_view>{"old/notes.txt", "old/ring.txt"});
    CHECK(audit.unused_bytes == 9);
    for (PlannedAsset& asset : plan.assets)
        asset.references = {};
    const BundleContents without = value_of(read_contents(*open_bundle(written(plan))));
    CHECK(BundleAuditor(without).finish().unused.empty());  // nothing is known
}

}  // namespace fardel::tests::bundle_audit_test
