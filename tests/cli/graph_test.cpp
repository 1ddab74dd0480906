// fardel graph on a real project.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::graph_test {

using nlohmann::json;

// a.txt and b.txt → upper case → one list; the upper-case files are not in the bundle.
void make_project(const ScratchFolder& scratch) {
    scratch.write("game/assets/a.txt", "a");
    scratch.write("game/assets/b.txt", "b");
    scratch.write("game/assets/order.cfg", "a b");
    scratch.write("game/fardel.toml", R"(name = "game"
sources = ["assets"]

[processor.upper]
command = ["dd", "conv=ucase", "status=none", "if=${in}", "of=${out}"]
outputs = ["{folder}{stem}.upper"]

[processor.list]
command = ["cp", "${in}", "${out}"]
inputs = ["*.cfg"]

[[rule]]
match = "*.txt"
process = "upper"

[[job]]
sources = ["a.upper"]
process = "list"
outputs = ["all.list"]
)");
}

TEST_CASE("graph: it lists jobs with their inputs and outputs, in the order of a build") {
    const ScratchFolder scratch;
    make_project(scratch);
    const json output = json::parse(run_well({"graph", scratch.path("game"), "--json"}));
    REQUIRE(output["jobs"].size() == 3);
    CHECK(output["jobs"][0]["processor"] == "upper");
    CHECK(output["jobs"][0]["sources"] == json{"a.txt"});
    CHECK(output["jobs"][0]["outputs"] == json{"a.upper"});
    CHECK(output["jobs"][2]["sources"] == json{"a.upper"});
    CHECK(output["jobs"][2]["others"] == json{"order.cfg"});
    for (const json& file : output["files"])
        CHECK(file["in_bundle"] ==
              (file["name"] == "b.upper" || file["name"] == "all.list" || file["name"] == "order.cfg"));
    CHECK_FALSE(std::filesystem::exists(scratch.path("game/game.fardel")));

    const std::string text = run_well({"graph", scratch.path("game")});
    CHECK(text.find("3 sources, 3 jobs, 3 files made") != std::string::npos);
    CHECK(text.find("a.upper ← upper (line ") != std::string::npos);
    run_well({"build", scratch.path("game")});
    CHECK(run_well({"cat", scratch.path("game/game.fardel"), "all.list"}) == "A");
}

TEST_CASE("graph: --of shows the inputs and dependents of one file, and --dot draws them") {
    const ScratchFolder scratch;
    make_project(scratch);
    const json output = json::parse(run_well({"graph", scratch.path("game"), "--of", "a.upper", "--json"}));
    REQUIRE(output["jobs"].size() == 2);
    CHECK(output["jobs"][0]["outputs"] == json{"a.upper"});
    CHECK(output["jobs"][1]["outputs"] == json{"all.list"});
    const std::string dot = run_well({"graph", scratch.path("game"), "--of", "b.txt", "--dot"});
    CHECK(dot.starts_with("digraph"));
    CHECK(dot.find("b.upper") != std::string::npos);
    CHECK(dot.find("a.upper") == std::string::npos);
    CHECK(run({"graph", scratch.path("game"), "--of", "nothing"}).exit_code == 3);
    CHECK(run({"graph", scratch.path("game"), "--json", "--dot"}).exit_code == 2);
}

TEST_CASE("graph: --of finds the jobs that only looked for a file, by its name and by its path") {
    const ScratchFolder scratch;
    scratch.write("game/assets/chars/knight.mesh", "mesh");
    scratch.write("game/assets/chars/run.anim", "run");
    scratch.write("game/tools/table.txt", "table");
    scratch.write("game/fardel.toml", R"(name = "game"
sources = ["assets"]

[processor.model]
command = [
    "sh", "-c", "cp $1 $2; echo \"out: $4/assets/chars/run.anim $4/tools/table.txt\" > $3",
    "sh", "${in}", "${out}", "${depfile}", "${project}",
]
outputs = ["{folder}{stem}.mdl"]
depfile = true

[[rule]]
match = "**/*.mesh"
process = "model"
)");
    const std::string game = scratch.path("game");
    run_well({"build", game});
    for (const char* name : {"chars/run.anim", "assets/chars/run.anim", "tools/table.txt"}) {
        CAPTURE(name);
        const json jobs = json::parse(run_well({"graph", game, "--of", name, "--json"}))["jobs"];
        REQUIRE(jobs.size() == 1);
        CHECK(jobs[0]["outputs"] == json{"chars/knight.mdl"});
    }
    const std::string dot = run_well({"graph", game, "--of", "chars/run.anim", "--dot"});
    CHECK(dot.find("[label=\"chars/run.anim\"]") != std::string::npos);
    CHECK(run({"graph", game, "--of", "tools/none.txt"}).exit_code == 3);
    const fardel::tests::Outcome other = run({"graph", game, "--of", "assets/run.anim"});
    CHECK(is_one_clear_line(other, "missing"));
    CHECK(other.err.find("did you mean 'chars/run.anim'?") != std::string::npos);
}

}  // namespace fardel::tests::graph_test
