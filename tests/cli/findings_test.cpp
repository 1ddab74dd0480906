// SARIF and JUnit of build, audit and conflicts. Those of verify are in verify_test.
#include "sample.h"

#include "kit/sarif_schema.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::findings_test {

using nlohmann::json;

constexpr std::string_view kWalls = "textures/wall\n{\n\t{\n\t\tmap textures/gone.tga\n\t}\n}\n";

struct Game {
    const ScratchFolder scratch;
    const std::string sarif = scratch.path("out.sarif");
    const std::string junit = scratch.path("out.xml");

    Game() {
        scratch.write("game/assets/scripts/walls.shader", kWalls);
        scratch.write("game/assets/unused.txt", "nobody");
        scratch.write(
            "game/fardel.toml",
            "name = \"game\"\nsources = [\"assets\"]\n[link]\nprofile = \"quake3\"\nroots = [\"scripts/*\"]\n");
    }
    Outcome run_with_findings(Arguments words) const {
        words.insert(words.end(), {"--sarif", sarif, "--junit", junit});
        return run(words);
    }
    json results() const {
        CHECK(sarif_mistakes(scratch, sarif) == "");
        return json::parse(read_file(sarif))["runs"][0]["results"];
    }
};

// The result of that rule; fails the test unless there is one.
json find_result(const json& results, std::string_view rule) {
    for (const json& result : results)
        if (result["ruleId"] == rule)
            return result;
    FAIL("no result of " << rule);
    return {};
}

TEST_CASE_FIXTURE(Game, "findings: an audit locates a missing reference in its file and line") {
    CHECK(run_with_findings({"audit", scratch.path("game")}).exit_code == 1);
    const json found = results();
    const json missing = find_result(found, "missing-reference");
    CHECK(missing["level"] == "error");
    const json place = missing["locations"][0]["physicalLocation"];
    CHECK(place["region"]["startLine"] == 4);
    CHECK(place["artifactLocation"]["uri"].get<std::string>().ends_with("game/assets/scripts/walls.shader"));
    CHECK(missing["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "scripts/walls.shader");
    CHECK(find_result(found, "unused-asset")["level"] == "note");
    const std::string xml = read_file(junit);
    CHECK(xml.find("<failure type=\"unresolved\"") != std::string::npos);
    CHECK(xml.find("unused.txt") != std::string::npos);

    scratch.write("game/assets/textures/gone.tga", "now there");
    CHECK(run_with_findings({"audit", scratch.path("game")}).exit_code == 0);
    CHECK(read_file(junit).find("failures=\"0\"") != std::string::npos);
}

TEST_CASE_FIXTURE(Game, "findings: a build reports its missing references, and passes without any") {
    CHECK(run_with_findings({"build", scratch.path("game")}).exit_code == 0);
    CHECK(find_result(results(), "missing-reference")["locations"][0]["physicalLocation"]["region"]["startLine"] == 4);
    scratch.write("game/assets/textures/gone.tga", "now there");
    CHECK(run_with_findings({"build", scratch.path("game")}).exit_code == 0);
    CHECK(results().empty());
}

TEST_CASE_FIXTURE(Game, "findings: conflicts are errors if the content differs, and notes if it is the same") {
    const auto pack = [&](const std::string& name, std::string_view text) {
        scratch.write(name + "/same.txt", "same");
        scratch.write(name + "/other.txt", text);
        run_well({"pack", scratch.path(name), "-o", scratch.path(name + ".fardel")});
        return scratch.path(name + ".fardel");
    };
    const std::string base = pack("base", "one");
    const std::string mod = pack("mod", "two");
    CHECK(run_with_findings({"conflicts", base, mod, "--all"}).exit_code == 1);
    const json found = results();
    CHECK(found.size() == 2);
    CHECK(find_result(found, "hidden-name")["message"]["text"] == "/other.txt: hides that of " + base);
    CHECK(find_result(found, "hidden-copy")["level"] == "note");
    CHECK(read_file(junit).find("failures=\"1\"") != std::string::npos);
}

TEST_CASE_FIXTURE(Game, "json: an error without another result is JSON on standard output, with its code") {
    for (const Arguments& words : {Arguments{"verify", "none.fardel", "--json"}, Arguments{"build", "none", "--json"},
                                   Arguments{"id", "none.fardel", "--json"}, Arguments{"graph", "none", "--json"}}) {
        CAPTURE(words[0]);
        const Outcome outcome = run(words);
        CHECK(outcome.exit_code == 3);
        const json error = json::parse(outcome.out);
        CHECK(error["code"] == "missing");
        CHECK(error["error"].get<std::string>().starts_with("missing: "));
        CHECK(outcome.err.ends_with(" [missing]\n"));
    }
    CHECK(run({"verify", "none.fardel"}).out == "");
}

}  // namespace fardel::tests::findings_test
