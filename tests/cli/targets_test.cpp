// Projects with targets: one command builds a bundle for each, and verbs about one bundle ask which.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::targets_test {

using nlohmann::json;

// Each picture becomes a variant per texture format; a text is converted for both targets.
const std::string kProject = R"(name = "studio/game"
version = "1.0"
sources = ["assets"]
output = "build/{target}/game.fardel"

[target.android]
texture = ["astc"]

[target.android.metadata]
shop = "play"

[target.pc]
texture = ["bc7", "png"]

[processor.astc]
command = ["sh", "-c", "(echo astc; cat $1) > $2", "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.astc"]
tags = { texture = "astc" }

[processor.bc7]
command = ["sh", "-c", "(echo bc7; cat $1) > $2", "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.bc7"]
tags = { texture = "bc7" }
keep_source = true

[processor.up]
command = ["sh", "-c", "tr a-z A-Z < $1 > $2", "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.up"]

[[rule]]
match = "**/*.png"
process = ["astc", "bc7"]
strip = ".png"
tags = { texture = "png" }

[[rule]]
match = "**/*.astc"
strip = ".astc"

[[rule]]
match = "**/*.bc7"
strip = ".bc7"

[[rule]]
match = "*.txt"
process = "up"

[[rule]]
match = "touch.cfg"
exclude = true
targets = ["pc"]
)";

struct TargetsProject {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");
    const std::string android = folder + "/build/android/game.fardel";
    const std::string pc = folder + "/build/pc/game.fardel";

    TargetsProject() {
        scratch.write("game/fardel.toml", kProject);
        scratch.write("game/assets/textures/wall.png", "wall");
        scratch.write("game/assets/story.txt", "once");
        scratch.write("game/assets/touch.cfg", "buttons");
        grow_old();
    }
    json build(const Arguments& options = {}) const {
        Arguments words{"build", folder, "--json"};
        words.insert(words.end(), options.begin(), options.end());
        return json::parse(run_well(words))["targets"];
    }
};

TEST_CASE_FIXTURE(TargetsProject, "targets: one command builds a bundle for each, and does what they share once") {
    const json built = build();
    REQUIRE(built.size() == 2);
    CHECK(built[0]["target"] == "android");
    CHECK(built[0]["file"] == android);
    CHECK(built[0]["name"] == "studio/game");
    CHECK(built[0]["names"] == 3);
    CHECK(built[0]["sources_read"] == 3);
    CHECK(built[0]["jobs"] == 2);
    CHECK(built[0]["jobs_run"] == 2);
    CHECK(built[1]["target"] == "pc");
    CHECK(built[1]["file"] == pc);
    CHECK(built[1]["names"] == 2);
    CHECK(built[1]["assets"] == 3);
    CHECK(built[1]["sources_read"] == 0);  // the first build has read them
    CHECK(built[1]["jobs"] == 2);
    CHECK(built[1]["jobs_run"] == 1);  // that for story.txt has run for android
    CHECK(built[1]["names_without_variant"].empty());

    CHECK(run_well({"cat", android, "textures/wall"}) == "astc\nwall");
    CHECK(run_well({"cat", pc, "textures/wall", "--variants", "texture=png"}) == "wall");
    CHECK(run_well({"cat", pc, "textures/wall", "--variants", "texture=astc,bc7"}) == "bc7\nwall");
    CHECK(run_well({"cat", android, "touch.cfg"}) == "buttons");
    CHECK(run({"cat", pc, "touch.cfg"}).exit_code != 0);
    check_has(facts_of(android), "play");
    CHECK(facts_of(pc).find("play") == std::string::npos);
}

TEST_CASE_FIXTURE(TargetsProject, "targets: each is up to date by itself, and builds what it would have built alone") {
    build();
    const std::string first = read_file(android);
    const std::string second = read_file(pc);
    grow_old();
    build();
    const json again = build();
    CHECK(again[0]["up_to_date"] == true);
    CHECK(again[0]["sources"] == 0);
    CHECK(again[1]["up_to_date"] == true);

    // What only one of them has is built for that one.
    scratch.write("game/assets/touch.cfg", "other buttons");
    const json changed = build();
    CHECK(changed[0]["up_to_date"] == false);
    CHECK(changed[1]["up_to_date"] == true);
    CHECK(read_file(pc) == second);
    scratch.write("game/assets/touch.cfg", "buttons");
    CHECK(build({"--target", "pc"})[0]["target"] == "pc");
    const json last = build({"--target", "android"});
    REQUIRE(last.size() == 1);
    CHECK(last[0]["jobs_run"] == 0);
    CHECK(read_file(android) == first);

    // The source that pc excludes is remembered for android.
    grow_old();
    build();
    scratch.write("game/assets/story.txt", "twice");
    CHECK(build()[0]["sources_read"] == 1);
    scratch.write("game/assets/story.txt", "once");

    CHECK(build({"--anew", "--target", "pc,android"})[1]["jobs_run"] == 1);
    CHECK(read_file(android) == first);
    CHECK(read_file(pc) == second);
}

TEST_CASE_FIXTURE(TargetsProject, "targets: they may be in a file that the project includes, and its edits count") {
    scratch.write("common/targets.toml", "[target.phone]\ntexture = [\"astc\"]\n");
    scratch.write("game/fardel.toml", "include = [\"../common/targets.toml\"]\n" + kProject);
    CHECK(build()[0]["target"] == "phone");
    grow_old();
    build();
    CHECK(build()[0]["up_to_date"] == true);
    scratch.write("common/targets.toml", "[target.phone]\ntexture = [\"bc7\"]\n");
    CHECK(build({"--target", "phone"})[0]["up_to_date"] == false);
    CHECK(run_well({"cat", folder + "/build/phone/game.fardel", "textures/wall"}) == "bc7\nwall");
    fs::remove(scratch.path("common/targets.toml"));
    const std::string missing = run({"build", folder}).err;
    check_has(missing, "fardel.toml:1:12: ");
    check_has(missing, "common/targets.toml: ");
    CHECK(missing.find("fardel init") == std::string::npos);
    scratch.write("common/targets.toml", "[target.phone]\ntextures = [\"bc7\"]\n");
    check_has(run({"build", folder}).err,
              "targets.toml:2:1: no rule or processor gives files a tag of the axis 'textures'");
}

TEST_CASE_FIXTURE(TargetsProject, "targets: the report has each, and names that a target has no variant of") {
    const std::string text = run_well({"build", folder});
    check_has(text, "target android\njobs: 2 of 2 run");
    check_has(text, "target pc\njobs: 1 of 2 run, 1 from the cache\n");
    scratch.write("game/fardel.toml", kProject + "[target.web]\ntexture = [\"etc2\"]\n");
    const std::string web = run_well({"build", folder, "--target", "web"});
    check_has(web, "rules that match nothing: 1\n");
    check_has(web, "fardel.toml:53: the tag texture=etc2 of the target web");
    check_has(web, "names without a variant for the target: 1\n  textures/wall");
    CHECK(json::parse(run_well({"build", folder, "--target", "web",
                                "--json"}))["targets"][0]["names_without_variant"] == json{"textures/wall"});
}

TEST_CASE_FIXTURE(TargetsProject, "targets: verbs about one bundle of a project are told which, or ask") {
    const std::string file = folder + "/fardel.toml";
    const std::string out = scratch.path("out.fardel");
    build();
    for (const Arguments& words : std::vector<Arguments>{{"pack", file, "-o", out},
                                                         {"audit", folder},
                                                         {"graph", folder},
                                                         {"graph", folder, "--references"},
                                                         {"report", file, "-o", scratch.path("r.html")},
                                                         {"which", "--mount", file, "textures/wall"}}) {
        CAPTURE(words[0]);
        const auto asked = run(words);
        CHECK(asked.exit_code != 0);
        check_has(asked.err, "several targets (android, pc)");
        Arguments told = words;
        told.insert(told.end(), {"--target", "pc"});
        run_well(told);
    }
    CHECK(read_file(out) == read_file(pc));
    check_has(run_well({"graph", folder, "--target", "android"}), "wall.astc");
    CHECK(run_well({"graph", folder, "--target", "android"}).find("wall.bc7") == std::string::npos);
    CHECK(run({"pack", folder + "/assets", "-o", out, "--target", "pc"}).exit_code == 2);
    check_has(run({"build", folder, "--target", "androit"}).err, "did you mean 'android'?");
    check_has(run({"build", folder, "--target", "pc", "--target", "web"}).err, "the targets are: android, pc");
}

}  // namespace fardel::tests::targets_test
