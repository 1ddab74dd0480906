// fardel build, and pack with a project file, on real folders.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::project_test {

using nlohmann::json;

// textures/wall.png in two qualities, a file that is not published, one that is left out.
std::string make_project(const ScratchFolder& scratch) {
    scratch.write("game/assets/textures/wall.png", "plain");
    scratch.write("game/assets/textures/wall@hd.png", "high");
    scratch.write("game/assets/internal/ai.dat", "ai");
    scratch.write("game/assets/sketch.psd", "sketch");
    return scratch.write("game/fardel.toml", R"(name = "studio/mygame"
version = "1.0"
sources = ["assets"]
exclude = ["**/*.psd"]
tombstones = ["old.cfg"]

[[rule]]
match = "**/*@hd.png"
strip = "@hd"
tags = { quality = "hd" }

[[rule]]
match = "internal/**"
publish = false
)");
}

TEST_CASE("build: it writes the bundle of a project, whose variants 'which' lists") {
    const ScratchFolder scratch;
    make_project(scratch);
    const json output = json::parse(run_well({"build", scratch.path("game"), "--json"}));
    const std::string bundle = scratch.path("game/mygame.fardel");
    CHECK(output["file"] == bundle);
    CHECK(output["name"] == "studio/mygame");
    CHECK(output["version"] == "1.0");
    CHECK(output["assets"] == 3);
    CHECK(output["excluded"].size() == 1);
    CHECK(output["idle_rules"].empty());
    run_well({"verify", bundle});

    const std::string plain = b3sum(scratch.path("game/assets/textures/wall.png"));
    const std::string high = b3sum(scratch.path("game/assets/textures/wall@hd.png"));
    CHECK(run_well({"which", "--mount", bundle, "textures/wall.png"})
              .starts_with("/textures/wall.png → /assets/" + plain + "\n"));
    CHECK(run_well({"which", "--mount", bundle, "--variants", "quality=hd", "textures/wall.png"})
              .starts_with("/textures/wall.png → /assets/" + high + "\n"));
    CHECK(run({"which", "--mount", bundle, "textures/wall@hd.png"}).exit_code == 1);
    CHECK(run({"which", "--mount", bundle, "internal/ai.dat"}).exit_code == 1);  // not published
}

TEST_CASE("build: content that moves to a name with another purpose is encoded for it, as in a build from scratch") {
    const ScratchFolder scratch;
    scratch.write("game/fardel.toml",
                  "name = \"game\"\nversion = \"1.0\"\nsources = [\"assets\"]\n"
                  "[[rule]]\nmatch = \"level.txt\"\nfor = \"load\"\n");
    const std::string first = prose(50'000, 1), second = prose(50'000, 2);
    scratch.write("game/assets/level.txt", first);
    scratch.write("game/assets/music.txt", second);
    grow_old();
    run_well({"build", scratch.path("game")});
    scratch.write("game/assets/level.txt", second);
    scratch.write("game/assets/music.txt", first);
    grow_old();
    run_well({"build", scratch.path("game")});
    const std::string built = read_file(scratch.path("game/game.fardel"));
    run_well({"build", scratch.path("game"), "--anew"});
    CHECK(read_file(scratch.path("game/game.fardel")) == built);
}

TEST_CASE("build: what files are made for is said by [pack], by rules, and by --for; the bundle stays the same") {
    const ScratchFolder scratch;
    std::string words;
    for (int i = 0; i < 30'000; ++i)
        words += "word" + std::to_string(i * i % 7919) + " ";
    scratch.write("game/assets/level.txt", words);
    scratch.write("game/assets/music.txt", words + "again");
    const auto built = [&](const std::string& rest, const Arguments& options = {}) {
        scratch.write("game/fardel.toml", "name = \"game\"\nversion = \"1.0\"\nsources = [\"assets\"]\n" + rest);
        Arguments words_of_build{"build", scratch.path("game"), "--json"};
        words_of_build.insert(words_of_build.end(), options.begin(), options.end());
        const json output = json::parse(run_well(words_of_build));
        run_well({"verify", scratch.path("game/game.fardel")});
        CHECK(run_well({"cat", scratch.path("game/game.fardel"), "level.txt"}) == words);
        return std::pair(output["bundle"].get<std::string>(), output["stored_bytes"].get<std::uint64_t>());
    };
    const auto balanced = built("");
    const auto load = built("[pack]\nfor = \"load\"\n");
    const auto mixed = built("[[rule]]\nmatch = \"level.txt\"\nfor = \"load\"\n");
    const auto other = built("[[rule]]\nmatch = \"music.txt\"\nfor = \"load\"\n");
    for (const auto& one : {load, mixed, other})
        CHECK(one.first == balanced.first);
    CHECK(balanced.second < mixed.second);
    CHECK(mixed.second < load.second);
    CHECK(balanced.second < other.second);
    CHECK(other.second < load.second);
    CHECK(built("[pack]\nfor = \"load\"\n", {"--level", "9"}).second == balanced.second);
    CHECK(built("[pack]\nfor = \"load\"\n", {"--for", "balanced"}).second == balanced.second);
    CHECK(built("", {"--for", "load"}).second == load.second);

    scratch.write("game/fardel.toml",
                  "name = \"game\"\nversion = \"1.0\"\nsources = [\"assets\"]\n[pack]\nfor = \"speed\"\n");
    const Outcome outcome = run({"build", scratch.path("game")});
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.err.find("write for = \"load\", \"balanced\" or \"size\"") != std::string::npos);
}

TEST_CASE("build and pack: a project file gives the same bytes with both, from any folder") {
    const ScratchFolder scratch;
    const std::string project = make_project(scratch);
    run_well({"build"}, {.folder = scratch.path("game")});
    run_well({"pack", project, "-o", scratch.path("other.fardel")});
    CHECK(read_file(scratch.path("game/mygame.fardel")) == read_file(scratch.path("other.fardel")));
    const json output = json::parse(run_well({"pack", project, "-o", scratch.path("other.fardel"), "--name", "else",
                                              "--version", "2", "--exclude", "internal/**", "--json"}));
    CHECK(output["name"] == "else");
    CHECK(output["version"] == "2");
    CHECK(output["assets"] == 2);
    CHECK(output["idle_rules"].size() == 1);
}

TEST_CASE("build: signs with the key of the project") {
    const ScratchFolder scratch;
    const std::string project = make_project(scratch);
    const std::string key = make_key(scratch, "author");
    scratch.write("game/fardel.toml", "key = \"../author.key\"\n" + read_file(project));
    CHECK(json::parse(run_well({"build", scratch.path("game"), "--json"}))["signed_by"].is_string());
}

TEST_CASE("build: a mistake in the project is reported with file and line, and nothing is written") {
    const ScratchFolder scratch;
    const std::string project = make_project(scratch);
    scratch.write("game/fardel.toml", read_file(project) + "publsh = true\n");
    const Outcome outcome = run({"build", scratch.path("game")});
    CHECK(is_one_clear_line(outcome, "malformed"));
    CAPTURE(outcome.err);
    CHECK(outcome.err.find("fardel.toml:15:1: there is no key 'publsh' in [[rule]]; did you mean 'publish'?") !=
          std::string::npos);
    CHECK(list_folder(scratch.path("game")).find(".fardel") == std::string::npos);
    CHECK(is_one_clear_line(run({"build", scratch.path("nowhere")}), "missing"));
}

TEST_CASE("build: an output inside a source, or over a file that is not a bundle, is refused") {
    const ScratchFolder scratch;
    const std::string project = make_project(scratch);
    const std::string text = read_file(project);
    scratch.write("game/fardel.toml", "output = \"assets/x.fardel\"\n" + text);
    CHECK(is_one_clear_line(run({"build", scratch.path("game")}), "conflict"));
    scratch.write("game/fardel.toml", "output = \"fardel.toml\"\n" + text);
    CHECK(is_one_clear_line(run({"build", scratch.path("game")}), "conflict"));
}

}  // namespace fardel::tests::project_test
