// Projects of several files: how their tables are joined, and how mistakes in them are reported.
#include <fardel/packer/project.h>

#include "kit/files.h"
#include "kit/test.h"

namespace fardel::tests::project_files_test {

struct ProjectFolder {
    const ScratchFolder scratch;

    std::string at(std::string_view name) const { return scratch.path(std::string("game/") + std::string(name)); }
    void write(std::string_view name, std::string_view text) const {
        scratch.write(std::string("game/") + std::string(name), text);
    }
    Result<Project> read(std::string_view name = "fardel.toml") const { return read_project(at(name)); }
    // Each of the texts is in the message of the error.
    void check_refused(ErrorCode code, const std::vector<std::string>& texts) const {
        const auto project = read();
        REQUIRE_FALSE(project);
        CHECK(project.error().code() == code);
        for (const std::string& text : texts)
            check_has(project.error().message(), text);
    }
};

const std::string kIncluding = "include = [\"common.toml\"]\nname = \"game\"\nsources = [\"assets\"]\n";

TEST_CASE_FIXTURE(ProjectFolder, "project files: lists are joined in order, and single values are those of the last") {
    write("fardel.toml", R"(
include = ["shared/common.toml"]
name = "game"
sources = ["assets"]
exclude = ["**/*.psd", "wip/**"]
[metadata]
licence = "CC-BY-4.0"
[link]
roots = ["maps/*.bsp"]
[[rule]]
match = "b"
publish = false
[target.pc]
)");
    write("shared/common.toml", R"(
include = ["deep.toml"]
name = "common"
version = "2"
exclude = ["**/*.psd", "**/*.blend"]
[metadata]
licence = "CC0-1.0"
metric.levels = 3
[link]
roots = ["maps/start.bsp", "maps/*.bsp"]
missing = "error"
[[rule]]
match = "a"
publish = false
)");
    write("shared/deep.toml", "sources = [\"base\"]\n[[rule]]\nmatch = \"deep\"\npublish = true\n[target.phone]\n");
    const Project project = value_of(read());
    CHECK(project.name == "game");
    CHECK(project.version.text() == "2");
    CHECK(project.sources == std::vector<std::string>{"base", "assets"});
    CHECK(project.excludes == std::vector<std::string>{"**/*.psd", "**/*.blend", "wip/**"});
    REQUIRE(project.rules.size() == 3);
    CHECK(project.rules[0].at.text() == at("shared/deep.toml") + ":2");
    CHECK(project.rules[1].match == "a");
    CHECK(project.rules[2].at.text() == at("fardel.toml") + ":10");
    REQUIRE(project.metadata.size() == 2);
    CHECK(std::get<std::string>(project.metadata[0].value) == "CC-BY-4.0");
    CHECK(project.references->roots == std::vector<std::string>{"maps/start.bsp", "maps/*.bsp"});
    CHECK(project.references->missing_fails);
    REQUIRE(project.targets.size() == 2);
    CHECK(project.targets[0].name == "phone");

    std::vector<std::string> files;
    const Project again = value_of(read_project(at("fardel.toml"), files));
    CHECK(files == std::vector<std::string>{at("fardel.toml"), at("shared/common.toml"), at("shared/deep.toml")});
    CHECK(again.digest == project.digest);
    write("shared/deep.toml", "sources = [\"base\"]\n");
    CHECK(value_of(read()).digest != project.digest);
}

TEST_CASE_FIXTURE(ProjectFolder, "project files: a file that two others include counts once") {
    write("fardel.toml", "include = [\"a.toml\", \"b.toml\"]\nname = \"game\"\nsources = [\"assets\"]\n");
    write("a.toml", "include = [\"rules.toml\"]\n");
    write("b.toml", "include = [\"./rules.toml\"]\n");
    write("rules.toml", "[[rule]]\nmatch = \"a\"\npublish = false\n[processor.x]\nbuiltin = \"copy\"\n");
    CHECK(value_of(read()).rules.size() == 1);
}

TEST_CASE_FIXTURE(ProjectFolder, "project files: a mistake is reported with its own file and line") {
    write("fardel.toml", kIncluding + "[[rule]]\nmatch = \"*\"\nprocess = \"smal\"\n");
    write("common.toml", "[processor.small]\nbuiltin = \"copy\"\n");
    check_refused(ErrorCode::malformed, {at("fardel.toml") + ":6:11: there is no processor 'smal'"});
    write("fardel.toml", kIncluding + "[[rule]]\nmatch = \"*\"\nprocess = \"small\"\n");
    CHECK(read());

    write("common.toml", "[processor.small]\nbuiltin = \"copi\"\nversoin = \"1\"\n");
    check_refused(ErrorCode::malformed, {at("common.toml") + ":2:11: there is no built-in", "(and 1 more mistake in "});
    write("common.toml", "[processor.small\n");
    check_refused(ErrorCode::malformed, {at("fardel.toml") + ":1:12: " + at("common.toml") + ":1:1: "});
    write("common.toml", "include = \"more.toml\"\n");
    check_refused(ErrorCode::malformed, {at("common.toml") + ":1:11: 'include' is a text; write include = ["});
    write("common.toml", "[processor.small]\nbuiltin = \"copy\"\n[target.pc]\n");
    write("fardel.toml", kIncluding + "[processor.small]\nbuiltin = \"copy\"\n");
    check_refused(ErrorCode::conflict, {at("fardel.toml") + ":4:12: there is a [processor.small] already, at " +
                                        at("common.toml") + ":1:12"});
}

TEST_CASE_FIXTURE(ProjectFolder,
                  "project files: a file that is absent or includes itself is an error with both files") {
    write("fardel.toml", kIncluding);
    std::vector<std::string> files;
    const auto absent = read_project(at("fardel.toml"), files);
    check_error(absent, ErrorCode::missing, at("fardel.toml") + ":1:12: " + at("common.toml"));
    CHECK(files.back() == at("common.toml"));

    write("common.toml", "\ninclude = [\"./fardel.toml\"]\n");
    check_refused(ErrorCode::conflict, {at("common.toml") + ":2:12: these files include each other: ",
                                        at("fardel.toml") + " → " + at("common.toml") + " → "});
    write("common.toml", "include = [\"common.toml\"]\n");
    check_refused(ErrorCode::conflict, {at("common.toml") + " → " + at("common.toml") + "; remove one"});
}

TEST_CASE_FIXTURE(ProjectFolder, "project files: their number and depth are limited") {
    write("fardel.toml", "include = [\"0.toml\"]\nname = \"game\"\nsources = [\"assets\"]\n");
    for (int i = 0; i < 8; ++i)
        write(std::to_string(i) + ".toml", i == 7 ? "" : "include = [\"" + std::to_string(i + 1) + ".toml\"]\n");
    check_refused(ErrorCode::limit, {"at most 8 deep"});
    write("6.toml", "");
    CHECK(read());

    const auto include_all = [&](int count) {
        std::string list;
        for (int i = 0; i < count; ++i) {
            list += "\"many" + std::to_string(i) + ".toml\", ";
            write("many" + std::to_string(i) + ".toml", "");
        }
        write("fardel.toml", "include = [" + list + "]\nname = \"game\"\nsources = [\"assets\"]\n");
    };
    include_all(64);
    check_refused(ErrorCode::limit, {"at most 64 files"});
    include_all(63);
    CHECK(read());
    CHECK_FALSE(parse_project("include = [\"a.toml\"]\nname = \"game\"\nsources = [\"assets\"]\n", "fardel.toml"));
}

}  // namespace fardel::tests::project_files_test
