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

// pack.list → a folder with wall.png, which depends on a table outside of the sources and on extra.cfg; the material
// uses the wall under another name, and the model the material.
void make_linked_project(const ScratchFolder& scratch) {
    scratch.write("game/assets/models/a.mtl", "newmtl a\nmap_Kd wall.png\n");
    scratch.write("game/assets/models/a.obj", "mtllib a.mtl\nmtllib gone.mtl\nv 0 0 0\n");
    scratch.write("game/assets/models/pack.list", "wall");
    scratch.write("game/assets/extra.cfg", "x");
    scratch.write("game/assets/alone.bin", "x");
    scratch.write("game/tools/table.txt", "table");
    scratch.write("game/fardel.toml", R"(name = "game"
sources = ["assets"]

[link]

[processor.unpack]
command = [
    "sh", "-c", "mkdir $2/models; cp $1 $2/models/wall@hd.png; echo out: $4/assets/extra.cfg $4/tools/table.txt > $3",
    "sh", "${in}", "${out:folder}", "${depfile}", "${project}",
]
depfile = true

[[rule]]
match = "**/*.list"
process = "unpack"

[[rule]]
match = "**/*@hd.png"
strip = "@hd"
tags = { detail = "hd" }
)");
}

// "<kind>: <from> → <to>", sorted.
std::vector<std::string> edges_of(const json& graph) {
    const auto name = [&](const json& node) {
        const json& one = graph["nodes"][node.get<std::size_t>()];
        return (one["kind"] == "file" ? "" : one["kind"].get<std::string>() + " ") + one["name"].get<std::string>();
    };
    std::vector<std::string> edges;
    for (const json& edge : graph["edges"])
        edges.push_back(edge["kind"].get<std::string>() + ": " + name(edge["from"]) + " → " + name(edge["to"]));
    std::ranges::sort(edges);
    return edges;
}

TEST_CASE(
    "graph: --all has what is declared, what a job found and what a scan found in one graph, in both directions") {
    const ScratchFolder scratch;
    make_linked_project(scratch);
    const std::string game = scratch.path("game");
    const auto all = [&](Arguments words) {
        words.insert(words.begin(), {"graph", game, "--all", "--json"});
        return json::parse(run_well(words));
    };
    const json graph = all({});
    const std::vector<std::string> edges = edges_of(graph);
    const auto job = std::ranges::find(graph["nodes"], "job", [](const json& node) { return node["kind"]; });
    REQUIRE(job != graph["nodes"].end());
    const std::string unpack = "job " + (*job)["name"].get<std::string>();
    const std::vector<std::string> expected{
        "declared: " + unpack + " → models/pack.list", "declared: models/wall@hd.png → " + unpack,
        "found: " + unpack + " → extra.cfg",           "found: " + unpack + " → outside tools/table.txt",
        "scanned: models/a.mtl → models/wall@hd.png",  "scanned: models/a.obj → missing gone.mtl",
        "scanned: models/a.obj → models/a.mtl",
    };
    CHECK(edges == expected);
    CHECK(all({}) == graph);  // nothing runs again, and it is the same

    // From the table up to the model, and from the model down to the table.
    const std::vector<std::string> up = edges_of(all({"--of", "tools/table.txt"}));
    CHECK(up == std::vector<std::string>{expected[1], expected[3], expected[4], expected[6]});
    const std::vector<std::string> down = edges_of(all({"--of", "assets/models/a.mtl"}));
    CHECK(down ==
          std::vector<std::string>{expected[0], expected[1], expected[2], expected[3], expected[4], expected[6]});
    CHECK(edges_of(all({"--of", "alone.bin"})).empty());

    const std::string text = run_well({"graph", game, "--all", "--of", "extra.cfg"});
    check_has(text, "1 edge declared, 1 found, 2 scanned");
    check_has(text, "    scanned   models/wall@hd.png  line 2: texture wall.png\n");
    const std::string dot = run_well({"graph", game, "--all", "--dot"});
    check_has(dot, "[style=dashed]");
    check_has(dot, "[style=dotted]");
    check_has(dot, "[label=\"gone.mtl\", color=red]");

    CHECK(is_one_clear_line(run({"graph", game, "--all", "--of", "extra.cgf"}), "missing"));
    CHECK(run({"graph", game, "--all", "--references"}).exit_code == 2);
}

}  // namespace fardel::tests::graph_test
