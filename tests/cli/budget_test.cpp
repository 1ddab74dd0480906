// Budgets and licences of projects: a build over budget writes nothing, and an audit lists what is over, or unlicensed.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::budget_test {

using nlohmann::json;

const std::string kStart = "name = \"game\"\nsources = [\"assets\"]\n";

struct BudgetProject {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");

    BudgetProject() {
        scratch.write("game/assets/textures/wall.png", std::string(60'000, 'w'));
        scratch.write("game/assets/textures/copy.png", std::string(60'000, 'w'));
        scratch.write("game/assets/textures/floor.png", std::string(30'000, 'f'));
        scratch.write("game/assets/story.txt", std::string(10'000, 's'));
    }
    void write(const std::string& tables) const { scratch.write("game/fardel.toml", kStart + tables); }
    // Returns what the build says about the budget.
    std::string refused() const {
        const Outcome outcome = run({"build", folder});
        CHECK(outcome.exit_code != 0);
        CHECK_FALSE(fs::exists(folder + "/game.fardel"));
        return outcome.err;
    }
};

TEST_CASE_FIXTURE(BudgetProject,
                  "budget: a build over it names what is over and the largest assets, and writes nothing") {
    write("[budget]\ntotal = 99_999\n");
    check_has(refused(),
              "fardel.toml:4: total has 100.0 kB, of 100.0 kB, the largest are textures/copy.png (60.0 kB), "
              "textures/floor.png (30.0 kB), story.txt (10.0 kB)");
    write("[budget.names]\n\"textures/**\" = \"80K\"\n\"*.txt\" = \"10K\"\n[budget.types]\n\"text/*\" = 1\n");
    const std::string both = refused();
    check_has(both, "fardel.toml:4: textures/** has 90.0 kB, of 80.0 kB");
    check_has(both, "fardel.toml:7: text/* has 10.0 kB, of 1 B, the largest are story.txt (10.0 kB)");
    CHECK(both.find("*.txt has") == std::string::npos);
    write("[budget]\nbundle = \"50K\"\n[link]\n[split]\npolicy = \"by-size\"\nbytes_max = 70_000\n");
    check_has(refused(), "bundle game-part-");

    write("[budget]\ntotal = \"100K\"\nbundle = \"100K\"\n[budget.names]\n\"textures/**\" = \"90K\"\n");
    run_well({"build", folder});
    CHECK(fs::exists(folder + "/game.fardel"));
    check_has(run({"build", folder, "--level", "1"}).out, "packed");
}

TEST_CASE_FIXTURE(BudgetProject, "budget: an audit lists what is over, and targets may have budgets of their own") {
    const std::string tables = "[budget]\ntotal = \"1M\"\n[target.pc]\n[target.phone.budget]\ntotal = \"70K\"\n";
    write(tables);
    check_has(run({"build", folder}).err, "target phone: ");
    CHECK(fs::exists(folder + "/game-pc.fardel"));
    CHECK_FALSE(fs::exists(folder + "/game-phone.fardel"));
    run_well({"audit", folder, "--target", "pc"});
    const Outcome audit = run({"audit", folder, "--target", "phone"});
    CHECK(audit.exit_code == 1);
    check_has(audit.out,
              "over budget: total has 100.0 kB, of 70.0 kB; the largest: 3\n  textures/copy.png (60.0 kB)\n");
    const json report = json::parse(run({"audit", folder, "--target", "phone", "--json"}).out);
    REQUIRE(report["over_budget"].size() == 1);
    CHECK(report["over_budget"][0]["bytes"] == 100'000);
    CHECK(report["over_budget"][0]["bytes_max"] == 70'000);
    CHECK(report["over_budget"][0]["largest"][2]["name"] == "story.txt");
}

TEST_CASE_FIXTURE(BudgetProject, "budget: a mistake in it is reported with its position") {
    write("[budget]\ntotal = \"2 apples\"\n");
    check_has(refused(), "fardel.toml:4:9: 'total' is no number of bytes; write total = \"2G\"");
    write("[budget]\ntotals = 3\n");
    check_has(refused(), "fardel.toml:4:1: there is no key 'totals' in [budget]; did you mean 'total'?");
    write("[budget.names]\n\"a//b\" = 3\n");
    check_has(refused(), "fardel.toml:4:1: 'a//b'");
}

TEST_CASE_FIXTURE(BudgetProject, "licences: an audit lists assets without one, and under one that is not allowed") {
    write(
        "[[rule]]\nmatch = \"textures/**\"\nmetadata = { license = \"CC0-1.0\" }\n"
        "[[rule]]\nmatch = \"textures/floor.png\"\nmetadata = { licence = \"proprietary\" }\n");
    run_well({"audit", folder});
    const Outcome without = run({"audit", folder, "--licences"});
    CHECK(without.exit_code == 1);
    check_has(without.out, "without a licence: 1\n  story.txt\n");
    CHECK(without.out.find("not allowed") == std::string::npos);

    const std::string project = read_file(folder + "/fardel.toml");
    scratch.write("game/fardel.toml", project + "[metadata]\nlicence = \"CC-BY-4.0\"\n");
    run_well({"audit", folder, "--licences"});
    scratch.write(
        "game/fardel.toml",
        project + "[metadata]\nlicence = \"CC-BY-4.0\"\n[licences]\nallowed = [\"CC0-1.0\", \"CC-BY-4.0\"]\n");
    const Outcome barred = run({"audit", folder, "--licences"});
    CHECK(barred.exit_code == 1);
    check_has(barred.out, "under a licence that is not allowed: 1\n  textures/floor.png: proprietary\n");
    const json report = json::parse(run({"audit", folder, "--licences", "--json"}).out);
    CHECK(report["unlicensed"] == json::parse(R"([{"name": "textures/floor.png", "licence": "proprietary"}])"));
    CHECK(run({"audit", folder + "/assets", "--licences"}).exit_code != 0);
}

}  // namespace fardel::tests::budget_test
