// Names that several bundles of a set publish.
#include "kit/test.h"

#include <fardel/verifier/verify_bundle.h>

#include "defects.h"

#include <fardel/format/name.h>

namespace fardel::tests::set_names_test {

constexpr std::string_view kCore = "the bytes of core";
constexpr std::string_view kMod = "the bytes of mod";

// Publishes names, each with its content.
forge::Recipe published(std::string title, const std::vector<std::pair<std::string, std::string_view>>& names) {
    forge::Recipe recipe;
    for (const auto& [text, content] : names) {
        const auto same = std::ranges::find(recipe.assets, forge::bytes_of(content), &forge::Asset::bytes);
        const auto asset = static_cast<std::uint32_t>(same - recipe.assets.begin());
        if (same == recipe.assets.end())
            recipe.assets.push_back({.bytes = forge::bytes_of(content)});
        recipe.names.push_back({text, {{asset, {}}}});
    }
    if (!title.empty())
        recipe.metadata = {{"name", std::move(title)}, {"version", "1.0"}};
    return recipe;
}

VerifySetReport verify_recipes(const std::vector<std::pair<std::string, forge::Recipe>>& recipes,
                               const VerifyOptions& options = {}) {
    std::vector<VerifyInput> inputs;
    for (const auto& [label, recipe] : recipes)
        inputs.push_back({make_memory_source(forge::forge(recipe).bytes), label});
    auto report = verify_set(inputs, options);
    REQUIRE(report);
    return std::move(report).value();
}

std::vector<std::string> lines(const VerifySetReport& report) {
    std::vector<std::string> found;
    for (const VerifyFinding& finding : report.findings)
        found.push_back(format_finding(finding));
    return found;
}

using Lines = std::vector<std::string>;

TEST_CASE("verifier set names: an equal name with another asset is a warning, with the same asset nothing") {
    const auto core = published("core", {{"a.txt", kCore}, {"shared.txt", "x"}});
    const auto mod = published("mod", {{"a.txt", kMod}, {"b.txt", kMod}, {"shared.txt", "x"}});
    const VerifySetReport report = verify_recipes({{"core", core}, {"mod", mod}});
    CHECK(lines(report) ==
          Lines{"warning: mod: names record 0: 'a.txt' is published by core, too, with another asset, and neither "
                "bundle depends on the other: the order of mounting decides which one counts. Let one require the "
                "other, or rename one [set-name-twice]"});
    CHECK(report.good());
    CHECK(report.found.warnings == 1);
    REQUIRE(!report.findings.empty());
    CHECK(report.findings[0].code == ErrorCode::conflict);
}

TEST_CASE("verifier set names: a bundle may override what it requires or depends on, also indirectly") {
    const auto core = published("core", {{"a.txt", kCore}});
    auto mod = published("mod", {{"a.txt", kMod}});
    const auto with = [&](auto edit) {
        forge::Recipe edited = mod;
        edit(edited);
        return edited;
    };
    const auto required = with([](auto& recipe) { recipe.metadata.emplace_back("requires.core", "*"); });
    const auto dependent = with([&](auto& recipe) {
        recipe.dependencies = {{forge::forge(core).id, "core", "", false}};
    });
    CHECK(lines(verify_recipes({{"core", core}, {"mod", required}})).empty());
    CHECK(lines(verify_recipes({{"mod", required}, {"core", core}})).empty());
    CHECK(lines(verify_recipes({{"core", core}, {"mod", dependent}})).empty());

    auto bridge = published("bridge", {});
    bridge.metadata.emplace_back("requires.core", "*");
    const auto indirect = with([](auto& recipe) { recipe.metadata.emplace_back("requires.bridge", "*"); });
    CHECK(lines(verify_recipes({{"core", core}, {"mod", indirect}, {"bridge", bridge}})).empty());
    // Two that require the same third one have no order between them.
    const auto other = published("other", {{"a.txt", "a third text"}});
    auto rival = other;
    rival.metadata.emplace_back("requires.core", "*");
    const auto rivals = verify_recipes({{"core", core}, {"mod", required}, {"rival", rival}});
    REQUIRE(rivals.findings.size() == 1);
    CHECK(rivals.findings[0].where == "rival: names record 0");
    CHECK(rivals.findings[0].text.find("published by mod, too") != std::string::npos);
}

TEST_CASE("verifier set names: what removes, extends or does not publish a name does not compete for it") {
    const auto core = published("core", {{"a.txt", kCore}, {"b.txt", kCore}, {"c.txt", kCore}});
    forge::Recipe mod = published("mod", {{"a.txt", kMod}, {"b.txt", kMod}, {"c.txt", kMod}});
    mod.names[0].variants.clear();
    mod.names[1].variants = {{0, {{"locale", "de"}}}};
    mod.names[1].extends = true;
    mod.names[2].published = false;
    CHECK(lines(verify_recipes({{"core", core}, {"mod", mod}})).empty());
}

TEST_CASE("verifier set names: variants are compared with their tags") {
    auto core = published("core", {{"a.txt", kCore}, {"b.txt", kMod}});
    core.names.pop_back();
    core.names[0].variants = {{0, {}}, {1, {{"locale", "de"}}}};
    auto mod = core;
    mod.metadata = {{"name", "mod"}};
    CHECK(lines(verify_recipes({{"core", core}, {"mod", mod}})).empty());
    mod.names[0].variants[1].tags = {{"locale", "fr"}};
    const VerifySetReport report = verify_recipes({{"core", core}, {"mod", mod}});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].rule == "set-name-twice");
}

TEST_CASE("verifier set names: versions of one bundle do not compete, bundles without a name do") {
    const auto first = [](std::string title) { return published(std::move(title), {{"a", kCore}, {"Maps/b", kCore}}); };
    const auto second = [](std::string title) { return published(std::move(title), {{"a", kMod}, {"maps/b", kMod}}); };
    CHECK(lines(verify_recipes({{"1.0", first("core")}, {"2.0", second("core")}})).empty());
    CHECK(verify_recipes({{"1.0", first("")}, {"2.0", second("")}}).findings.size() == 2);
}

TEST_CASE("verifier set names: names of two bundles that differ only in case are a warning, whatever they hold") {
    const auto core = published("core", {{"maps/a.bsp", kCore},
                                         {"stra\xc3\x9f"
                                          "e.txt",
                                          kCore}});
    auto mod = published("mod", {{"Maps/a.bsp", kCore}, {"STRASSE.txt", kCore}});
    mod.metadata.emplace_back("requires.core", "*");
    CHECK(lines(verify_recipes({{"core", core}, {"mod", mod}})) ==
          Lines{"warning: mod: names record 0: 'Maps/a.bsp' and 'maps/a.bsp' of core are the same name if case is "
                "ignored, so one hides the other on some systems; rename one [set-names-fold-equal]",
                "warning: mod: names record 1: 'STRASSE.txt' and 'stra\xc3\x9f"
                "e.txt' of core are the same name if "
                "case is ignored, so one hides the other on some systems; rename one [set-names-fold-equal]"});
    // A tombstone in another case removes nothing.
    mod.names.resize(1);
    mod.names[0].variants.clear();
    const VerifySetReport report = verify_recipes({{"core", core}, {"mod", mod}});
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].rule == "set-names-fold-equal");
}

TEST_CASE("verifier set names: a name that is a folder of another bundle's names is one warning") {
    const auto core = published("core", {{"maps/a.bsp", kCore}, {"maps/b.bsp", kCore}, {"maps.txt", kCore}});
    const auto mod = published("mod", {{"Maps", kMod}, {"maps.txt", kCore}});
    const std::string found =
        "names record 0: 'Maps' is a file, but also a folder of 'maps/a.bsp' of core; rename one "
        "[set-name-is-folder]";
    CHECK(lines(verify_recipes({{"core", core}, {"mod", mod}})) == Lines{"warning: mod: " + found});
    CHECK(lines(verify_recipes({{"mod", mod}, {"core", core}})) == Lines{"warning: mod: " + found});
    auto remover = mod;
    remover.names[0].variants.clear();
    CHECK(lines(verify_recipes({{"core", core}, {"mod", remover}})).empty());
}

TEST_CASE("verifier set names: findings are in the order of the bundles and their names, and limited") {
    std::vector<std::pair<std::string, std::string_view>> names;
    for (int i = 10; i < 60; ++i)
        names.emplace_back("n" + std::to_string(i), kCore);
    const auto core = published("core", names);
    for (auto& [text, content] : names)
        content = kMod;
    const auto mod = published("mod", names);
    for (auto& [text, content] : names)
        content = "a third text";
    const auto late = published("late", names);
    VerifyOptions options;
    options.findings_max = 60;
    const VerifySetReport report = verify_recipes({{"core", core}, {"mod", mod}, {"late", late}}, options);
    REQUIRE(report.findings.size() == 61);
    CHECK(report.found.warnings == 100);
    for (std::size_t i = 0; i < 60; ++i)
        CHECK(report.findings[i].where ==
              (i < 50 ? "mod: names record " : "late: names record ") + std::to_string(i % 50));
    CHECK(report.findings[60].text == "and 40 more of this rule");
}

TEST_CASE("verifier set names: labels and names are printed safely, and malformed names left to their bundle") {  // A74
    const auto core = published("core", {{"a", kCore}, {"\x1b[31m", kCore}, {std::string(70'000, '/'), kCore}});
    const auto mod = published("mod", {{"a", kMod}, {"\x1b[31m", kMod}, {std::string(70'000, '/'), kMod}});
    const VerifySetReport report = verify_recipes({{"co\x1bre", core}, {"m\nod", mod}});
    REQUIRE(report.findings.size() == 1);
    const std::string line = format_finding(report.findings[0]);
    for (const char c : line)
        CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("verifier set names: a bundle with one name a thousand times over is compared once") {
    forge::Draft crowd = forge::draft(forge::wide_recipe(2000));
    for (NameRecord& name : crowd.names)
        name.text = crowd.names[0].text;
    const auto one = forge::wide_recipe(1);
    auto other = published("other", {{one.names[0].text, kMod}});
    const std::vector<VerifyInput> inputs{{make_memory_source(forge::forge(crowd).bytes), "crowd"},
                                          {make_memory_source(forge::forge(other).bytes), "other"}};
    const VerifySetReport report = verify_set(inputs, {}).value();
    CHECK(std::ranges::count(report.findings, "set-name-twice", &VerifyFinding::rule) == 1);
}

}  // namespace fardel::tests::set_names_test
