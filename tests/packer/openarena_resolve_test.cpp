// All references of OpenArena are resolved: the assets that its maps reach, miss, and do not use.
// What the audit finds in the archives of OpenArena 0.8.8 as Debian ships them; the maps are its roots.
#include <fardel/packer/pack.h>

#include "kit/openarena.h"

#include <set>

namespace fardel::tests::openarena_resolve_test {

const PackPlan& game() {
    static const PackPlan packed = [] {
        const auto archives = tests::openarena_archives();
        auto planned = pack_sources(archives, {.name = "openarena"});
        REQUIRE(planned);
        const Status resolved =
            resolve_packed(*planned, {.roots = {"maps/*.bsp"}, .used = {"gfx/**", "icons/**", "botfiles/**"}});
        REQUIRE(resolved);
        return *std::move(planned);
    }();
    return packed;
}

const RootClosure& root(std::string_view name) {
    const auto& roots = game().resolved->audit.roots;
    const auto at = std::ranges::find(roots, name, &RootClosure::root);
    REQUIRE(at != roots.end());
    return *at;
}

std::set<std::string> names_of(const RootClosure& closure) {
    std::set<std::string> names;
    for (const std::uint32_t name : closure.names)
        names.insert(game().plan.names[name].name.text());
    return names;
}

std::set<std::string> missing_of(const RootClosure& closure) {
    std::set<std::string> spellings;
    for (const std::uint32_t missing : closure.missing)
        spellings.insert(game().resolved->audit.missing[missing].reference.spelling);
    return spellings;
}

TEST_CASE("openarena resolve: nothing is broken, most is resolved, and what is missing is reported for each map") {
    const ReferenceAudit& audit = game().resolved->audit;
    CHECK(audit.broken.empty());
    CHECK(audit.references > 9000);
    CHECK(audit.resolved * 100 > audit.references * 85);
    CHECK(audit.missing.size() > 400);
    CHECK(audit.missing.size() < 900);
    CHECK(audit.roots.size() == 85);
    CHECK(audit.idle_patterns.empty());
    CHECK(missing_of(root("maps/oa_dm1.bsp")).contains("music/sonic6.ogg"));
    CHECK(missing_of(root("maps/oacmpdm4.bsp")).empty());
    CHECK(missing_of(root("maps/aggressor.bsp"))
              .empty());  // its sky says "full", which in scripts means that there is no sky box
    CHECK(std::ranges::count(audit.missing, ReferenceUse::sky_box,
                             [](const MissingReference& missing) { return missing.reference.use; }) == 2);
    for (const MissingReference& missing : audit.missing)  // no name that was tried exists
        for (const std::string& tried : missing.tried)
            CHECK(std::ranges::none_of(
                game().plan.names, [&](const PlannedName& name) { return names_fold_equal(name.name.view(), tried); }));
}

TEST_CASE("openarena resolve: with Quake III's profile, what the running game looks up is hard, and the rest is soft") {
    auto planned = pack_sources(tests::openarena_archives(), {.name = "openarena"});
    REQUIRE(planned);
    ResolveOptions options{.roots = {"maps/*.bsp"}};
    auto profile = find_game_profile("quake3");
    REQUIRE(profile);
    options.profile = *std::move(profile);
    REQUIRE(resolve_packed(*planned, options));
    const ReferenceAudit& audit = planned->resolved->audit;
    CHECK(audit.broken.empty());
    CHECK(audit.missing.size() > 140);  // 149 and 629, as the archives of Debian are
    CHECK(audit.missing.size() < 155);
    CHECK(audit.soft.size() > 615);
    CHECK(audit.soft.size() < 645);
    const auto has = [](const std::vector<MissingReference>& list, std::string_view from, std::string_view spelling) {
        return std::ranges::any_of(
            list, [&](const MissingReference& one) { return one.from == from && one.reference.spelling == spelling; });
    };
    CHECK(has(audit.missing, "maps/oa_dm1.bsp", "music/sonic6.ogg"));
    CHECK(has(audit.missing, "models/flags/fixedflag.md3", "b_flag"));
    CHECK(has(audit.missing, "scripts/evil8.shader", "textures/evil8_lights/e8tinylight.blend.tga"));
    CHECK(has(audit.missing, "models/players/arachna/widowe/head_blue.skin",
              "models/players/arachna/hair_widowe_blue.tga"));
    CHECK(has(audit.soft, "models/players/arachna/widowe/upper_blue.skin",
              "models/players/arachna/hair_widowe_blue.tga"));
    CHECK(has(audit.soft, "scripts/base_light.shader", "textures/base_light/trianglelight.tga"));
}

TEST_CASE("openarena resolve: a map reaches its scripts, and of their images only those of its own shaders") {
    const RootClosure& closure = root("maps/oa_dm1.bsp");
    const auto names = names_of(closure);
    CHECK(names.contains("maps/oa_dm1.bsp"));
    CHECK(closure.size_bytes > 1'000'000);
    CHECK(closure.size_bytes < 30'000'000);
    CHECK(names.size() > 30);
    CHECK(names.size() < 200);
    // The closure is complete: it contains everything that each of its names uses directly.
    for (const std::uint32_t name : closure.names)
        for (const std::uint32_t used : game().resolved->uses[name])
            CHECK(std::ranges::binary_search(closure.names, used));
}

TEST_CASE("openarena resolve: an asset is unused if neither a map nor code reaches it") {
    const ReferenceAudit& audit = game().resolved->audit;
    std::set<std::string> unused;
    for (const UnusedAsset& one : audit.unused)
        unused.insert(one.name);
    CHECK(unused.size() > 1000);
    CHECK(audit.by_code > 100);
    for (const RootClosure& closure : audit.roots)
        for (const std::uint32_t name : closure.names)
            CHECK_FALSE(unused.contains(game().plan.names[name].name.text()));
    CHECK(std::ranges::none_of(
        unused, [](const std::string& name) { return name.starts_with("gfx/") || name.starts_with("botfiles/"); }));
}

}  // namespace fardel::tests::openarena_resolve_test
