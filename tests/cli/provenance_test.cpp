// fardel build --provenance: which bundles came from which sources and programs, as in-toto and SLSA define it.
#include "sample.h"

#include <fardel/format/sha256.h>
#include <nlohmann/json.hpp>

#include <set>

namespace fardel::tests::provenance_test {

using nlohmann::json;

struct BuiltGame {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");
    const std::string out = scratch.path("provenance.json");

    BuiltGame() {
        scratch.write("game/assets/a.txt", "first");
        scratch.write("game/assets/raw.dat", "raw");
        scratch.write("game/tools/up.sh", "tr a-z A-Z < $1 > $2\n");
        write_project("");
    }

    void write_project(std::string_view more) const {
        scratch.write("game/fardel.toml", R"(name = "studio/game"
version = "1.0"
sources = ["assets"]

[processor.up]
command = ["sh", "${code:tools/up.sh}", "${in}", "${out}"]
code = ["tools/up.sh"]
outputs = ["{folder}{stem}.up"]

[[rule]]
match = "*.txt"
process = "up"
)" + std::string(more));
    }

    json build(const Arguments& options = {}) const {
        Arguments words{"build", folder, "--provenance", out};
        words.insert(words.end(), options.begin(), options.end());
        run_well(words);
        return json::parse(read_file(out));
    }
};

// The digest of the only dependency with this name.
std::string digest_of(const json& statement, std::string_view kind, std::string_view name) {
    std::string digest;
    for (const json& one : statement["predicate"]["buildDefinition"]["resolvedDependencies"])
        if (one["name"] == name && one["annotations"]["kind"] == kind) {
            CHECK(digest.empty());
            digest = one["digest"]["blake3"];
        }
    return digest;
}

TEST_CASE_FIXTURE(BuiltGame, "provenance: names the bundle file, its sources, code, programs and jobs") {
    const json statement = build();
    CHECK(statement["_type"] == "https://in-toto.io/Statement/v1");
    CHECK(statement["predicateType"] == "https://slsa.dev/provenance/v1");
    const std::string bundle = folder + "/game.fardel";
    REQUIRE(statement["subject"].size() == 1);
    CHECK(statement["subject"][0]["name"] == "game.fardel");
    CHECK(statement["subject"][0]["digest"]["sha256"] == sha256_hex(bytes_of(read_file(bundle))));
    CHECK(statement["subject"][0]["annotations"]["bundle"] == json::parse(facts_of(bundle))["bundle"]);

    const json& definition = statement["predicate"]["buildDefinition"];
    CHECK(definition["externalParameters"]["project"] == "studio/game");
    CHECK(definition["externalParameters"]["bundles"][0]["version"] == "1.0");
    CHECK(digest_of(statement, "source", "a.txt") == b3sum(folder + "/assets/a.txt"));
    CHECK(digest_of(statement, "source", "raw.dat") == b3sum(folder + "/assets/raw.dat"));
    CHECK(digest_of(statement, "code", "tools/up.sh") == b3sum(folder + "/tools/up.sh"));
    CHECK(digest_of(statement, "program", "sh").size() == 64);
    CHECK(digest_of(statement, "source", "a.up") == "");  // made by a job

    const json& details = statement["predicate"]["runDetails"];
    CHECK(details["builder"]["id"] != "");
    CHECK(details["builder"]["version"]["fardel"] != "");
    REQUIRE(details["byproducts"].size() == 1);
    CHECK(details["byproducts"][0]["name"] == "up → a.up");
    CHECK(std::string(details["byproducts"][0]["digest"]["fardelBuildKey"]).size() == 64);
    CHECK(read_file(out).find(scratch.root()) == std::string::npos);  // no paths of this machine
}

TEST_CASE_FIXTURE(BuiltGame,
                  "provenance: is the same if nothing is built, from scratch, and on any number of threads") {
    build();
    const std::string first = read_file(out);
    build();
    CHECK(read_file(out) == first);
    build({"--anew", "--jobs", "1"});
    CHECK(read_file(out) == first);
    scratch.write("game/assets/raw.dat", "edited");
    build();
    CHECK(read_file(out) != first);
}

TEST_CASE_FIXTURE(BuiltGame, "provenance: has the bundles of all targets, and a source that they share once") {
    write_project("\n[target.pc]\n[target.android]\n");
    const json statement = build();
    CHECK(statement["subject"].size() == 2);
    std::set<std::string> targets;
    for (const json& one : statement["predicate"]["buildDefinition"]["externalParameters"]["bundles"])
        targets.insert(one["target"]);
    CHECK(targets == std::set<std::string>{"android", "pc"});
    CHECK(digest_of(statement, "source", "raw.dat") == b3sum(folder + "/assets/raw.dat"));
}

TEST_CASE_FIXTURE(BuiltGame, "provenance: is not written by a build that fails") {
    scratch.write("game/tools/up.sh", "exit 3\n");
    CHECK(run({"build", folder, "--provenance", out}).exit_code == 1);
    CHECK_FALSE(fs::exists(out));
}

}  // namespace fardel::tests::provenance_test
