#include "kit/test.h"

#include <fardel/verifier/verify_bundle.h>

#include "defects.h"

#include <fardel/format/hash.h>

namespace fardel::tests::set_test {

// Provides what the map needs: two published names and an asset that is referred to by id.
forge::Recipe core_recipe() {
    forge::Recipe recipe;
    recipe.assets = {{.bytes = forge::bytes_of("step")},
                     {.bytes = forge::bytes_of("a skin")},
                     {.bytes = forge::bytes_of("private")}};
    recipe.names = {
        {"sounds/step.ogg", {{0, {}}}}, {"skins/plain.skin", {{1, {}}}}, {"private/notes.txt", {{2, {}}}, false}};
    recipe.metadata = {{"name", "core"}};
    return recipe;
}

forge::Recipe map_recipe(const BundleId& core) {
    forge::Recipe recipe;
    recipe.assets = {
        {.bytes = forge::bytes_of("a map"),
         .references = {{"skin", forge::Reference::Foreign{id_from<AssetId>(blake3(forge::bytes_of("a skin"))), 0}}}}};
    recipe.names = {{"maps/dm01.bsp", {{0, {}}}}};
    recipe.dependencies = {{core, "core", "1.0", true}};
    recipe.consumes = {{"sounds/step.ogg", false, false}, {"skins/*.skin", true, false}};
    return recipe;
}

VerifyInput input(const forge::Recipe& recipe, std::string label) {
    return {make_memory_source(forge::forge(recipe).bytes), std::move(label)};
}

VerifySetReport verify_all(const std::vector<VerifyInput>& inputs) {
    auto report = verify_set(inputs, {});
    REQUIRE(report);
    return std::move(report).value();
}

std::vector<std::string> texts(const VerifySetReport& report) {
    std::vector<std::string> found;
    for (const VerifyFinding& finding : report.findings)
        found.push_back(finding.rule + " " + finding.where);
    return found;
}

TEST_CASE("verifier set: bundles that have what they expect of one another have no findings") {
    const auto core = forge::forge(core_recipe());
    const VerifySetReport report =
        verify_all({input(core_recipe(), "core.fardel"), input(map_recipe(core.id), "map.fardel")});
    CHECK(texts(report).empty());
    CHECK(report.good());
    CHECK(report.bundles.size() == 2);
    CHECK(report.bundles[0].bundle.name == "core");
}

TEST_CASE("verifier set: everything that a lone bundle misses is reported") {
    const auto core = forge::forge(core_recipe());
    const VerifySetReport report = verify_all({input(map_recipe(core.id), "map.fardel")});
    CHECK(texts(report) == std::vector<std::string>{"dependency-missing map.fardel: dependencies record 0",
                                                    "consume-unresolved map.fardel: consumes record 0",
                                                    "consume-unresolved map.fardel: consumes record 1"});
    CHECK(!report.good());
    CHECK(report.bundles[0].good());
    CHECK(report.findings[0].code == ErrorCode::missing);
    CHECK(report.findings[0].text.find(core.id.hex()) != std::string::npos);
    CHECK(report.findings[1].code == ErrorCode::unresolved);
}

TEST_CASE("verifier set: a name that is not published satisfies no bundle") {
    forge::Recipe map;
    map.consumes = {{"private/notes.txt"}, {"private/**", true}};
    CHECK(texts(verify_all({input(core_recipe(), "core"), input(map, "map")})) ==
          std::vector<std::string>{"consume-unresolved map: consumes record 0",
                                   "consume-unresolved map: consumes record 1"});
}

TEST_CASE("verifier set: a dependency without the foreign asset is named") {
    auto other = core_recipe();
    other.assets[1].bytes = forge::bytes_of("another skin");
    const auto core = forge::forge(other);
    const VerifySetReport report = verify_all({input(other, "core"), input(map_recipe(core.id), "map")});
    CHECK(texts(report) == std::vector<std::string>{"foreign-asset-missing map: foreign_assets record 0"});
}

TEST_CASE("verifier set: what is optional or dynamic is only a note") {
    forge::Recipe map;
    map.dependencies = {{BundleId{}, "extras", "", false}};
    map.consumes = {{"sounds/x.ogg", false, true}};
    const VerifySetReport report = verify_all({input(map, "map")});
    CHECK(texts(report) == std::vector<std::string>{"dependency-absent map: dependencies record 0",
                                                    "consume-optional-unresolved map: consumes record 0"});
    CHECK(report.good());
    CHECK(report.found.notes == 2);
}

TEST_CASE("verifier set: the same bundle twice is a warning") {
    const VerifySetReport report = verify_all({input(core_recipe(), "a"), input(core_recipe(), "b")});
    CHECK(texts(report) == std::vector<std::string>{"set-bundle-twice b"});
    CHECK(report.good());
}

TEST_CASE("verifier set: a bundle that cannot be opened is named, and the others are judged without it") {
    const auto core = forge::forge(core_recipe());
    const VerifySetReport report =
        verify_all({{make_memory_source(forge::noise(100, 1)), "broken"}, input(map_recipe(core.id), "map")});
    CHECK(report.findings.size() == 4);
    CHECK(report.findings[0].rule == "set-bundle-unusable");
    CHECK(!report.bundles[0].good());
}

TEST_CASE("verifier set: no bundles are a good set") { CHECK(verify_all({}).good()); }

TEST_CASE("verifier set: a stop request ends it") {
    std::stop_source stop;
    stop.request_stop();
    VerifyOptions options;
    options.stop = stop.get_token();
    const std::vector<VerifyInput> inputs{input(core_recipe(), "core")};
    const auto report = verify_set(inputs, options);
    REQUIRE(!report);
    CHECK(report.error().code() == ErrorCode::cancelled);
}

TEST_CASE("verifier set: a name that a rule lets a bundle add only, and another bundle has, is a warning") {  // A124
    const auto made = [](std::string name, std::uint8_t key, std::vector<std::string> names) {
        forge::Recipe recipe;
        recipe.assets = {{.bytes = forge::bytes_of(name)}};
        for (std::string& text : names)
            recipe.names.push_back({std::move(text), {{0, {}}}});
        recipe.metadata = {{"name", name}, {"version", "1.0"}};
        auto bundle = forge::forge(recipe);
        const auto signer = make_key_signer(forge::test_key(key));
        forge::append_envelope(bundle, sign_statement(forge::statement_about(bundle, name), *signer).value());
        return bundle.bytes;
    };
    const TrustPolicy policy =
        TrustPolicy::parse("fardel-trust 1\nkey a " + forge::test_key(1).public_key().hex() + "\nkey b " +
                           forge::test_key(2).public_key().hex() + "\nallow core author=1:a\nallow maps/* author=1:b\n")
            .value();
    const std::vector<VerifyInput> inputs = {
        {make_memory_source(made("core", 1, {"default.cfg", "maps/base.bsp"})), "core.fardel"},
        {make_memory_source(made("maps/x", 2, {"maps/base.bsp", "maps/x.bsp"})), "x.fardel"},
        {make_memory_source(made("maps/y", 2, {"maps/x.bsp", "maps/y.bsp"})), "y.fardel"}};
    VerifyOptions options;
    options.policy = &policy;
    const VerifySetReport report = verify_set(inputs, options).value();
    // Bundles under one rule may override each other: maps/x.bsp is only a name that two bundles publish.
    REQUIRE(texts(report) ==
            std::vector<std::string>{"name-of-another-rule x.fardel", "set-name-twice y.fardel: names record 0"});
    CHECK(report.findings[0].text.find("'maps/base.bsp' is published by core.fardel, too") != std::string::npos);
    CHECK(report.good());
    CHECK(report.found.warnings == 2);
}

TEST_CASE("verifier set: what a bundle requires must be met by name, version and signer") {
    forge::Recipe core = core_recipe();
    core.metadata.emplace_back("version", "1.4");
    forge::Recipe mod = core_recipe();
    mod.metadata = {{"name", "mod"}, {"requires.core", ">= 1.0, < 2"}, {"requires.sounds", "*"}};
    VerifySetReport report = verify_all({input(core, "core.fardel"), input(mod, "mod.fardel")});
    REQUIRE(report.findings.size() == 1);
    CHECK(texts(report)[0] == "requirement-unmet mod.fardel");
    CHECK(report.findings[0].text.find("sounds") != std::string::npos);

    mod.metadata = {{"name", "mod"}, {"requires.core", ">= 2"}};
    report = verify_all({input(core, "core.fardel"), input(mod, "mod.fardel")});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].text.find("1.4") != std::string::npos);

    mod.metadata = {{"name", "mod"}, {"requires.core", "* by " + std::string(64, 'a')}};
    report = verify_all({input(core, "core.fardel"), input(mod, "mod.fardel")});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].text.find("has not signed") != std::string::npos);
    CHECK_FALSE(report.good());
}

}  // namespace fardel::tests::set_test
