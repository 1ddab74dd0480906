// The output of build, pack, graph and report about the references of a project with [link].
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::resolved_project_test {

using nlohmann::json;

// One root that reaches all files except env/nobody.png, and names env/gone and env/lost0 to env/lost<n-1>, which do
// not exist.
std::string make_project_with_references(const ScratchFolder& scratch, std::string_view link, int lost = 0) {
    std::string skin = "h_head,sky\nu_torso,env/gone\n";
    for (int i = 0; i < lost; ++i)
        skin += "x,env/lost" + std::to_string(i) + "\n";
    scratch.write("game/assets/one.skin", skin);
    scratch.write("game/assets/scripts/x.shader", "sky\n{\n{\nmap env/sky.tga\n}\n}\n");
    scratch.write("game/assets/env/sky.tga", "sky");
    scratch.write("game/assets/env/nobody.png", "nobody");
    scratch.write("game/fardel.toml",
                  "name = \"game\"\nsources = [\"assets\"]\n[link]\nroots = [\"*.skin\"]\n" + std::string(link));
    return scratch.path("game");
}

TEST_CASE("build: its output ends with the missing names, even if nothing was to be done") {
    const ScratchFolder scratch;
    const std::string folder = make_project_with_references(scratch, "used = [\"none/**\"]\n", 7);
    const std::string first = run_well({"build", folder});
    check_has(first,
              "[link] patterns that match nothing: 1\n  none/**\nmissing: 8\n  one.skin:2: shader env/gone\n    tried "
              "env/gone, env/gone.tga, env/gone.jpg and 4 more\n  one.skin:3: shader env/lost0\n");
    CHECK(first.ends_with(
        "  … and 3 more; 'fardel audit' shows more of each, --json lists all\n10 references, 8 missing\n"));
    grow_old();
    run_well({"build", folder});
    const std::string again = run_well({"build", folder});
    check_has(again, "is up to date");
    check_has(again, "10 references, 8 missing\n");

    const json output = json::parse(run_well({"build", folder, "--json"}));
    CHECK(output["link"]["references"] == 10);
    CHECK(output["link"]["resolved"] == 2);
    REQUIRE(output["link"]["missing"].size() == 8);
    CHECK(output["link"]["missing"][0]["from"] == "one.skin");
    CHECK(output["link"]["missing"][0]["line"] == 2);
    CHECK(output["link"]["missing"][0]["tried"][1] == "env/gone.tga");
    CHECK(json::parse(
              run_well({"pack", folder + "/fardel.toml", "-o", scratch.path("x.fardel"), "--json"}))["link"]["missing"]
              .size() == 8);
    check_has(run_well({"pack", folder + "/fardel.toml", "-o", scratch.path("x.fardel")}),
              "10 references, 8 missing\n");
}

TEST_CASE("build: if missing references are errors, no bundle is written while any is missing") {
    const ScratchFolder scratch;
    const std::string folder = make_project_with_references(scratch, "missing = \"error\"\n", 4);
    for (const Arguments& words :
         {Arguments{"build", folder}, Arguments{"pack", folder + "/fardel.toml", "-o", folder + "/game.fardel"}}) {
        const Outcome outcome = run(words);
        CHECK(outcome.exit_code == 1);
        CHECK(is_one_clear_line(outcome, "unresolved"));
        check_has(outcome.err,
                  "fardel.toml: 5 references are missing, which [link] has as an error: one.skin:2: shader env/gone, "
                  "one.skin:3: shader env/lost0, one.skin:4: shader env/lost1 and 2 more; 'fardel audit' shows which "
                  "names were tried");
        CHECK_FALSE(std::filesystem::exists(folder + "/game.fardel"));
    }
    scratch.write("game/fardel.toml",
                  "name = \"game\"\nsources = [\"assets\"]\n[link]\nmissing = \"error\"\nconsumed = [\"env/**\"]\n");
    check_has(run_well({"build", folder}), "0 missing\n");
    scratch.write("game/fardel.toml", "name = \"game\"\nsources = [\"assets\"]\n[link]\nmissing = \"errors\"\n");
    check_has(run({"build", folder}).err,
              "fardel.toml:4:11: 'missing' is 'errors'; write missing = \"warn\" or missing = \"error\"");
}

TEST_CASE("graph: --references lists which assets name which, and --of those on the way to and from one asset") {
    const ScratchFolder scratch;
    const std::string folder = make_project_with_references(scratch, "");
    const std::string text = run_well({"graph", folder, "--references"});
    check_has(text,
              "fardel.toml: 3 references, 1 missing\none.skin\n    1: shader sky → scripts/x.shader (defines it)\n    "
              "2: shader env/gone → missing\nscripts/x.shader\n    4: texture env/sky.tga → env/sky.tga\n");
    const json output = json::parse(run_well({"graph", folder, "--references", "--json"}));
    REQUIRE(output["references"].size() == 3);
    CHECK(output["references"][0] == json{{"from", "one.skin"},
                                          {"line", 1},
                                          {"spelling", "sky"},
                                          {"use", "shader"},
                                          {"optional", false},
                                          {"kind", "shader"},
                                          {"to", "scripts/x.shader"}});
    CHECK(output["references"][1]["kind"] == "missing");
    CHECK(output["references"][1]["to"].is_null());
    CHECK(json::parse(run_well({"graph", folder, "--references", "--json", "--of", "env/sky.tga"}))["references"]
              .size() == 2);
    CHECK(json::parse(run_well({"graph", folder, "--references", "--json", "--of", "scripts/x.shader"}))["references"]
              .size() == 2);
    CHECK(json::parse(run_well({"graph", folder, "--references", "--json", "--of", "env/nobody.png"}))["references"]
              .empty());
    const std::string dot = run_well({"graph", folder, "--references", "--dot"});
    check_has(dot, "digraph references {\n");
    check_has(dot, "n0 [label=\"one.skin\"];\n");
    check_has(dot, "[label=\"env/gone\", color=red];\n");
    check_has(dot, "n0 -> n1;\n");
    CHECK(is_one_clear_line(run({"graph", folder, "--references", "--of", "no/such"}), "missing"));
}

TEST_CASE("report: for a project it shows the last build with missing and unused names, and says if it is stale") {
    const ScratchFolder scratch;
    const std::string folder = make_project_with_references(scratch, "");
    const std::string page = scratch.path("page.html");
    const Outcome early = run({"report", folder, "-o", page});
    CHECK(is_one_clear_line(early, "missing"));
    check_has(early.err, "game.fardel does not exist; run 'fardel build' first");

    run_well({"build", folder});
    const std::string said = run_well({"report", folder + "/fardel.toml", "-o", page});
    check_has(said, "1 bundle");
    check_has(said, "fardel.toml: 1 reference missing, 1 name unused\n");
    CHECK(said.find("stale") == std::string::npos);
    const std::string html = read_file(page);
    check_has(html, "env/gone.tga");
    check_has(html, "\"unused\":{");
    check_has(html, "[\"env/nobody.png\",6]");  // with its size

    scratch.write("game/assets/env/sky.tga", "another");
    scratch.write("game/assets/more.txt", "more");
    check_has(run_well({"report", folder, "-o", page}),
              "stale: 2 names differ from the sources; run 'fardel build' again\n");
    CHECK(run({"report", folder, folder + "/game.fardel", "-o", page}).exit_code == 2);
    CHECK(run({"report", folder, "--audit", page, "-o", page}).exit_code == 2);
    CHECK(run_well({"report", folder + "/game.fardel", "-o", page}).find("missing") == std::string::npos);
}

TEST_CASE("report: for a split project it shows all bundles") {
    const ScratchFolder scratch;
    const std::string folder = make_project_with_references(scratch, "[split]\npolicy = \"per-root\"\n");
    run_well({"build", folder});
    check_has(run_well({"report", folder, "-o", scratch.path("page.html")}), "2 bundles");
}

}  // namespace fardel::tests::resolved_project_test
