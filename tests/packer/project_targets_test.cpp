// Targets of projects: what each key of them gives, the mistakes in them, and which jobs run for one.
#include <fardel/packer/job_graph.h>
#include <fardel/packer/project.h>

#include "parsed_project.h"

namespace fardel::tests::project_targets_test {

const std::string kTop = "name = \"studio/mygame\"\nsources = [\"assets\"]\n";  // two lines

const std::string kPictures = R"(
[target.android]
texture = ["astc"]
[target.pc]
texture = ["bc7", "png"]
[processor.astc]
command = ["encode", "${in}", "${out}"]
outputs = ["{folder}{stem}.astc"]
tags = { texture = "astc" }
[processor.bc7]
command = ["encode", "${in}", "${out}"]
outputs = ["{folder}{stem}.bc7"]
tags = { texture = "bc7" }
[[rule]]
match = "**/*.png"
process = ["astc", "bc7"]
)";

Project project_of(const std::string& tables, const std::string& target) {
    return value_of(project_for(parse_well(kTop + tables), target));
}

// "astc > wall.astc", one line per job that runs; and a last one with the files that no job consumes.
std::string jobs_of(const std::string& tables, const std::string& target, const std::vector<std::string>& sources) {
    std::vector<AssetName> names;
    for (const std::string& source : sources)
        names.push_back(value_of(AssetName::parse(source)));
    const JobGraph graph = value_of(JobGraph::plan(project_of(tables, target), std::move(names)));
    std::string text;
    for (const JobIndex job : graph.order()) {
        text += graph.processor_of(job).name + " >";
        for (const FileIndex file : graph.jobs()[job].outputs)
            text += " " + graph.files()[file].name.text();
        text += "\n";
    }
    for (const GraphFile& file : graph.files())
        if (!file.consumed && !(file.made_by && graph.jobs()[*file.made_by].left_out))
            text += " " + file.name.text();
    return text;
}

TEST_CASE("targets: each has the axes, the output, the name and the metadata that its table gives") {
    const std::string tables = R"(
version = "1"
[metadata]
licence = "CC0-1.0"
shop = "none"
[[rule]]
match = "*.hd"
tags = { quality = "hd", output = "stereo" }
[target.android]
quality = ["sd"]
output = ["mono"]
name = "studio/mygame-android"
metadata = { shop = "play" }
[target.pc]
output = "pc/{target}.fardel"
)";
    const Project android = project_of(tables, "android");
    CHECK(android.name == "studio/mygame-android");
    CHECK(android.output == "mygame-android.fardel");
    REQUIRE(android.target);
    CHECK(has_variant(*android.target, {}));
    CHECK(has_variant(*android.target, {{"quality", "sd"}, {"shader", "any"}}));
    CHECK_FALSE(has_variant(*android.target, {{"quality", "hd"}}));
    CHECK_FALSE(has_variant(*android.target, {{"output", "stereo"}, {"quality", "sd"}}));
    CHECK(std::get<std::string>(android.metadata[0].value) == "CC0-1.0");
    CHECK(std::get<std::string>(android.metadata[1].value) == "play");

    const Project pc = project_of(tables, "pc");
    CHECK(pc.name == "studio/mygame");
    CHECK(pc.output == "pc/pc.fardel");
    CHECK(std::get<std::string>(pc.metadata[1].value) == "none");
    CHECK(project_of("output = \"build/{target}/game.fardel\"\n[target.pc]\n", "pc").output == "build/pc/game.fardel");
}

TEST_CASE("targets: what counts for others only is left out, and so is what a left-out processor would do") {
    const std::string tables = R"(
[target.android]
[target.pc]
[processor.small]
builtin = "copy"
targets = ["android"]
[[rule]]
match = "*.a"
process = ["small"]
[[rule]]
match = "*.b"
exclude = true
targets = ["pc", "android"]
[[rule]]
match = "*.c"
publish = false
targets = ["pc"]
[[job]]
sources = ["*.d"]
process = "small"
[[consume]]
name = "fonts/**"
targets = ["pc"]
[[dependency]]
file = "base.fardel"
targets = ["pc"]
)";
    const Project android = project_of(tables, "android");
    CHECK(android.rules.size() == 2);
    CHECK(android.processors.size() == 1);
    CHECK(android.jobs.size() == 1);
    CHECK(android.consumes.empty());
    CHECK(android.dependencies.empty());
    const Project pc = project_of(tables, "pc");
    CHECK(pc.rules.size() == 3);
    CHECK(pc.rules[0].process.empty());
    CHECK(pc.processors.empty());
    CHECK(pc.jobs.empty());
    CHECK(pc.consumes.size() == 1);
    CHECK(pc.dependencies.size() == 1);
}

TEST_CASE("targets: one is chosen by its name, and need not be if it is the only one") {
    CHECK(project_of("", "").target == std::nullopt);
    CHECK(project_of("[target.pc]\n", "").target->name == "pc");
    const Project several = parse_well(kTop + "[target.pc]\n[target.android]\n");
    CHECK(value_of(find_targets(several, {})) == std::vector<std::string>{"pc", "android"});
    CHECK(value_of(find_targets(several, {"android"})) == std::vector<std::string>{"android"});
    CHECK(value_of(find_targets(parse_well(kTop), {})) == std::vector<std::string>{""});
    check_error(project_for(several, ""), ErrorCode::malformed, "several targets (pc, android)");
    check_error(project_for(several, "andriod"), ErrorCode::malformed, "did you mean 'android'?");
    check_error(find_targets(several, {"pc", "switch"}), ErrorCode::malformed, "the targets are: pc, android");
    check_error(project_for(parse_well(kTop), "pc"), ErrorCode::malformed, "the project has no [target.NAME]");
}

TEST_CASE("targets: a job of which all outputs stay out does not run, unless another one reads them") {
    CHECK(jobs_of(kPictures, "android", {"wall.png"}) == "astc > wall.astc\n wall.astc");
    CHECK(jobs_of(kPictures, "pc", {"wall.png"}) == "bc7 > wall.bc7\n wall.bc7");
    // What is not made of a file leaves it to the target.
    CHECK(jobs_of(kPictures + "[target.web]\ntexture = [\"png\"]\n", "web", {"wall.png"}) == " wall.png");
    // What is made of it is chosen by the tags of the last processor, or of a rule.
    const std::string chain = "[processor.again]\nbuiltin = \"copy\"\noutputs = [\"{folder}{stem}.copy\"]\n";
    const std::string again = "[[rule]]\nmatch = \"**/*.astc\"\nprocess = \"again\"\n";
    CHECK(jobs_of(kPictures + chain + again, "pc", {"wall.png"}) == "bc7 > wall.bc7\n wall.bc7");
    CHECK(jobs_of(kPictures + chain + "tags = { texture = \"png\" }\n" + again, "pc", {"wall.png"}) ==
          "astc > wall.astc\nbc7 > wall.bc7\nagain > wall.copy\n wall.bc7 wall.copy");
    CHECK(jobs_of(kPictures + chain + "inputs = [\"*.astc\"]\n[[rule]]\nmatch = \"*.txt\"\nprocess = \"again\"\n", "pc",
                  {"a.txt", "wall.png"}) ==
          "astc > wall.astc\nagain > a.copy\nbc7 > wall.bc7\n a.copy wall.astc wall.bc7");
    CHECK(jobs_of(kPictures + "[[rule]]\nmatch = \"w.astc\"\ntags = { texture = \"png\" }\n", "pc",
                  {"wall.png", "w.png"}) == "bc7 > wall.bc7\nastc > w.astc\nbc7 > w.bc7\n wall.bc7 w.astc w.bc7");
}

TEST_CASE("targets: each mistake has its position and what to write instead") {
    check_mistake(kTop + "[target.pc]\n[[rule]]\nmatch = \"a\"\npublish = false\ntargets = [\"pd\"]\n", "7:12",
                  "there is no target 'pd'; did you mean 'pc'?");
    check_mistake(kTop +
                      "[[job]]\nsources = [\"a\"]\nprocess = \"x\"\ntargets = [\"pc\"]\n[processor.x]\n"
                      "builtin = \"copy\"\n",
                  "6:12", "the project has no [target.NAME]");
    check_mistake(kTop + "[target.pc]\n[processor.x]\nbuiltin = \"copy\"\ntargets = [\"PC2000\"]\n", "6:12",
                  "the targets are: pc");
    check_mistake(kTop + "[target.pc]\n[[consume]]\nname = \"a\"\ntargets = []\n", "6:11", "'targets' is empty");
    check_mistake(kTop + kPictures + "[target.web]\ntextur = [\"png\"]\n", "20:1",
                  "the axis 'textur'; did you mean 'texture'?");
    check_mistake(kTop + "[target.pc]\ntexture = \"bc7\"\n", "4:11", "texture = [\"…\"]");
    check_mistake(kTop + "[target.pc]\ntexture = []\n", "4:1", "");
    check_mistake(kTop + "[target.pc]\noutputs = 3\n", "4:1", "did you mean 'output'?");
    check_mistake(kTop + "[target.\"..\"]\n", "3:9", "not a name for a target");
    check_mistake(kTop + "[target.pc]\nmetadata = { version = \"2\" }\n", "4:1", "version");
    check_mistake("output = \"a.fardel\"\n" + kTop + "[target.pc]\n[target.web]\n", "1:10",
                  "write output = \"build/{target}/game.fardel\"");
    check_mistake("output = \"{target}.fardel\"\n" + kTop, "1:10", "the project has no targets");
    // Keys are not trusted.
    check_mistake(kTop + "[target.pc]\n\"a\\n\\u001b\" = [1]\n", "4:1", "the axis 'a\\u{a}\\u{1b}'");
    check_mistake(kTop + "[target.\"\\u001b\"]\n[[consume]]\nname = \"a\"\ntargets = [\"pc\"]\n", "3:9",
                  "not a name for a target");
    // What may be a new value, or misspelt, is reported after the build.
    CHECK(parse_well(kTop + kPictures).targets[1].idle_tags ==
          std::vector<std::string>{"fardel.toml:7: the tag texture=png of the target pc"});
}

}  // namespace fardel::tests::project_targets_test
