// Which published names count, by the rules of a trust policy. docs/trust-policy.md, "What a rule lets publish". A124.
#include "lookup/resolve.h"

#include "vfs/test_bundle.h"

#include <fardel/vfs/inspect.h>

namespace fardel::tests::name_scope_test {

// Three authors, and a policy in which they are alice, bob and carol.
struct Authors {
    Author alice, bob, carol;

    TrustPolicy policy(const std::string& rules) const {
        return value_of(TrustPolicy::parse("fardel-trust 1\nkey alice " + alice.key().hex() + "\nkey bob " +
                                           bob.key().hex() + "\nkey carol " + carol.key().hex() + "\n" + rules));
    }
};

constexpr std::string_view kRules = "allow core author=1:alice\nallow maps/* author=1:bob\n";

Bytes core_bundle() {
    return BundleMaker()
        .title("core")
        .add("default.cfg", "core's config")
        .add("maps/base.bsp", "core's map")
        .add_variants("textures/wall", {"core's wall"})
        .add("motd", "welcome")
        .write();
}

BundleMaker map_maker(std::string title = "maps/x") {
    return BundleMaker()
        .title(std::move(title))
        .add("default.cfg", "hostile config")
        .add("maps/base.bsp", "hostile map")
        .add("maps/x.bsp", "a new map");
}

std::string outcomes_of(const Vfs& vfs, std::string_view path) {
    std::string text;
    const Explanation explanation = vfs.explain(path).value();
    for (const PathCandidate& candidate : explanation.candidates)
        text += (text.empty() ? "" : "; ") + candidate.mount.label + ": " +
                std::string(candidate_outcome_text(candidate.outcome));
    return text;
}

struct ScopedVfs {
    Authors people;
    const TrustPolicy policy = people.policy(std::string(kRules));
    Vfs vfs;
};

TEST_CASE("name scope: a key believed for maps/* publishes below maps/ only, and hides nothing of others") {
    Authors people;
    const TrustPolicy policy = people.policy(std::string(kRules));
    const Bytes map = people.bob.sign(map_maker()
                                          .add_tombstone("motd")
                                          .add_tombstone("maps/none")
                                          .add_variants("textures/wall", {"hostile wall"}, true)
                                          .write());
    for (const int priority : {-1, 0, 1}) {
        CAPTURE(priority);
        Vfs vfs;
        mount(vfs, people.alice.sign(core_bundle()), {.policy = &policy, .label = "core"});
        mount(vfs, map, {.priority = priority, .policy = &policy, .label = "map"});
        CHECK(content_at(vfs, "/default.cfg") == "core's config");
        CHECK(content_at(vfs, "/maps/base.bsp") == "core's map");
        CHECK(content_at(vfs, "/maps/x.bsp") == "a new map");
        CHECK(content_at(vfs, "/motd") == "welcome");
        vfs.prefer(parse_variant_preference("quality=0").value());
        CHECK(content_at(vfs, "/textures/wall") == "core's wall");
        CHECK(listing_of(vfs, "/") == "assets/ bundles/ default.cfg@ maps/ motd@ textures/");
        CHECK(listing_of(vfs, "/maps") == "base.bsp@ x.bsp@");
        CHECK(vfs.stat("/default.cfg").value().bundle == vfs.open("/motd").value().bundle_id());
        // Inside its own bundle, and by id, nothing changes.
        const std::string own = "/bundles/" + vfs.open("/maps/x.bsp").value().bundle_id().hex();
        CHECK(content_at(vfs, own + "/default.cfg") == "hostile config");
        CHECK(content_at(vfs, "/assets/" + id_of("hostile config").hex()) == "hostile config");
        const auto conflicts = vfs.conflicts();
        REQUIRE(conflicts);
        REQUIRE(conflicts->size() == 1);
        CHECK(conflicts->at(0).path == "/maps/base.bsp");
        CHECK(conflicts->at(0).winner.asset == id_of("core's map"));
    }
}

TEST_CASE_FIXTURE(ScopedVfs, "name scope: explain says which rule of the policy keeps a mount from a name") {
    mount(vfs, people.alice.sign(core_bundle()), {.policy = &policy, .label = "core"});
    mount(vfs, people.bob.sign(map_maker().write()), {.policy = &policy, .label = "map"});
    CHECK(outcomes_of(vfs, "/default.cfg") ==
          "map: not allowed: the trust policy does not let it publish this name; core: wins");
    CHECK(outcomes_of(vfs, "/maps/base.bsp") ==
          "map: not allowed: the trust policy does not let it override this name; core: wins");
    CHECK(outcomes_of(vfs, "/maps/x.bsp") == "map: wins");
}

TEST_CASE_FIXTURE(ScopedVfs, "name scope: a name that only a bundle outside its bounds publishes does not exist") {
    mount(vfs, people.bob.sign(map_maker().write()), {.policy = &policy, .label = "map"});
    CHECK(outcome_of(vfs.open("/default.cfg")) == "missing");
    CHECK(content_at(vfs, "/maps/base.bsp") == "hostile map");
    CHECK(outcomes_of(vfs, "/default.cfg") == "map: not allowed: the trust policy does not let it publish this name");
}

TEST_CASE("name scope: a rule can allow other names, and to override those of others") {
    Authors people;
    const TrustPolicy policy = people.policy(
        "allow core author=1:alice\nallow maps/* author=1:bob publish=maps/** publish=*.cfg override=maps/base.bsp\n");
    Vfs vfs;
    mount(vfs, people.alice.sign(core_bundle()), {.policy = &policy});
    mount(vfs, people.bob.sign(map_maker().add("own.cfg", "own config").write()), {.policy = &policy});
    CHECK(content_at(vfs, "/default.cfg") == "core's config");
    CHECK(content_at(vfs, "/own.cfg") == "own config");
    CHECK(content_at(vfs, "/maps/base.bsp") == "hostile map");
}

TEST_CASE("name scope: a rule without a folder bounds nothing, and bundles of one rule have their usual order") {
    Authors people;
    const TrustPolicy wide = people.policy("allow ** author=1:alice,bob\n");
    Vfs vfs;
    mount(vfs, people.alice.sign(core_bundle()), {.policy = &wide});
    mount(vfs, people.bob.sign(map_maker().write()), {.policy = &wide});
    CHECK(content_at(vfs, "/default.cfg") == "hostile config");

    const TrustPolicy maps = people.policy("allow maps/* author=1:alice,bob\n");
    Vfs of_one_rule;
    mount(of_one_rule, people.alice.sign(BundleMaker().title("maps/a").add("maps/all", "a").write()),
          {.policy = &maps});
    mount(of_one_rule, people.bob.sign(BundleMaker().title("maps/b").add("maps/all", "b").write()), {.policy = &maps});
    CHECK(content_at(of_one_rule, "/maps/all") == "b");
}

TEST_CASE("name scope: between rules that may only add, the lower mount keeps its name") {
    Authors people;
    const TrustPolicy policy =
        people.policy("allow maps/pro/* author=1:carol publish=maps/**\nallow maps/** author=1:bob\n");
    const Bytes pro = people.carol.sign(BundleMaker().title("maps/pro/a").add("maps/all", "pro").write());
    const Bytes free = people.bob.sign(BundleMaker().title("maps/b").add("maps/all", "free").write());
    Vfs vfs;
    mount(vfs, pro, {.policy = &policy});
    const MountId last = mount(vfs, free, {.policy = &policy});
    CHECK(content_at(vfs, "/maps/all") == "pro");
    REQUIRE(vfs.unmount(last));
    mount(vfs, free, {.priority = -1, .policy = &policy});
    CHECK(content_at(vfs, "/maps/all") == "free");
}

TEST_CASE_FIXTURE(ScopedVfs, "name scope: other letter case does not lead around the bounds") {
    mount(vfs, people.alice.sign(core_bundle()), {.case_rule = CaseRule::fold, .policy = &policy});
    mount(
        vfs,
        people.bob.sign(BundleMaker().title("maps/x").add("Default.cfg", "evil").add("MAPS/base.bsp", "evil").write()),
        {.case_rule = CaseRule::fold, .policy = &policy});
    for (const char* path : {"/default.cfg", "/Default.cfg", "/DEFAULT.CFG"})
        CHECK(content_at(vfs, path) == "core's config");
    for (const char* path : {"/maps/base.bsp", "/MAPS/base.bsp", "/Maps/Base.bsp"})
        CHECK(content_at(vfs, path) == "core's map");
}

TEST_CASE_FIXTURE(ScopedVfs,
                  "name scope: content that no policy vouches for is not bounded, since its mount asked for that") {
    mount(vfs, people.alice.sign(core_bundle()), {.policy = &policy});
    mount(vfs, map_maker().write(), {.policy = &policy, .allow_unsigned = true});
    CHECK(content_at(vfs, "/default.cfg") == "hostile config");
    CHECK(vfs.tainted());
}

TEST_CASE_FIXTURE(ScopedVfs, "name scope: among many bundles a look-up honours the bounds, too") {
    mount(vfs, people.alice.sign(core_bundle()), {.policy = &policy});
    for (int i = 0; i < 30; ++i)
        mount(vfs, people.bob.sign(map_maker("maps/" + std::to_string(i)).add("maps/own", std::to_string(i)).write()),
              {.policy = &policy});
    CHECK(content_at(vfs, "/default.cfg") == "core's config");
    CHECK(content_at(vfs, "/maps/base.bsp") == "core's map");
    CHECK(content_at(vfs, "/maps/own") == "29");
}

TEST_CASE("name scope: a look-up table that leads to another name does not lend that name's rights") {
    Authors people;
    const TrustPolicy policy = people.policy(std::string(kRules));
    const Bytes honest =
        BundleMaker().title("maps/x").add("autoexec.cfg", "hostile config").add("maps/x.bsp", "a new map").write();
    // Both slots lead to maps/x.bsp; docs/bundle-format.md, name_buckets.
    const Bytes bundle = rewrite_table(honest, TableKind::name_buckets,
                                       [](std::span<std::byte> bucket) { bucket[44] = bucket[48] = std::byte{1}; });
    Vfs vfs;
    mount(vfs, people.alice.sign(core_bundle()), {.policy = &policy, .label = "core"});
    mount(vfs, people.bob.sign(bundle), {.policy = &policy, .label = "map"});
    CHECK(content_at(vfs, "/maps/x.bsp") == "a new map");
    CHECK(vfs.open("/autoexec.cfg").error().code() == ErrorCode::malformed);
}

}  // namespace fardel::tests::name_scope_test
