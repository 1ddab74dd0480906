// fardel build --explain, --log and --depfile, and fardel log: why a build did something, for people and other systems.
#include "sample.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::build_explain_test {

using nlohmann::json;

constexpr std::string_view kProject = R"(name = "studio/game"
version = "1.0"
sources = ["assets"]

[processor.up]
command = ["sh", "${code:tools/up.sh}", "${parameter:suffix}", "${in}", "${out}"]
code = ["tools/up.sh"]
parameters = { suffix = "one" }
outputs = ["{folder}{stem}.up"]

[processor.join]
command = ["sh", "-c", "cat $3/list.h > $1; echo all: $3/list.h > $2", "sh",
    "${out}", "${depfile}", "${project}/include"]
outputs = ["joined.bin"]
depfile = true

[[rule]]
match = "*.txt"
process = "up"

[[job]]
sources = ["*.part"]
process = "join"
outputs = ["joined.bin"]
)";

struct Game {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");

    Game() {
        write("assets/a.txt", "first");
        write("assets/b.txt", "second");
        write("assets/c.part", "third");
        write("assets/raw.dat", "raw");
        write("tools/up.sh", "(tr a-z A-Z < $2; echo $1) > $3\n");
        write("include/list.h", "1 2 3");
        write("fardel.toml", std::string(kProject));
    }

    void write(const std::string& name, std::string_view text) const { scratch.write("game/" + name, text); }
    std::string explain(const Arguments& options = {}) const {
        Arguments words{"build", folder, "--explain"};
        words.insert(words.end(), options.begin(), options.end());
        return run_well(words);
    }
    json explain_json() const { return json::parse(run_well({"build", folder, "--explain", "--json"})); }
};

// A file that was written just before a build looks at it is read once more by the next one.
void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST_CASE_FIXTURE(Game, "explain: the first build says so, for the project and for each job") {
    const std::string first = explain();
    CHECK(first.starts_with("built because no earlier build is known\n"));
    CHECK(has(first, "processor 'up' of 'a.txt' ran for the first time in this project\n"));
    CHECK(has(first, "processor 'join' of 'c.part' ran for the first time"));
    settle();
    explain();
    CHECK(explain().starts_with("nothing has changed since the last build\n"));
}

TEST_CASE_FIXTURE(Game, "explain: names the source, parameter, code and found file that changed, with old and new") {
    settle();
    explain();
    write("assets/a.txt", "first, edited");
    const json source = explain_json();
    CHECK(has(source["why"].get<std::string>(), "assets/a.txt has changed"));
    REQUIRE(source["explained"].size() == 1);
    CHECK(source["explained"][0]["reason"] == "changed");
    const json changes = source["explained"][0]["changes"];
    REQUIRE(changes.size() == 1);
    CHECK(changes[0]["kind"] == "source");
    CHECK(changes[0]["name"] == "a.txt");
    const ScratchFolder scratch;
    scratch.write("old", "first");
    CHECK(changes[0]["before"] == b3sum(scratch.path("old")));
    CHECK(changes[0]["after"] == b3sum(folder + "/assets/a.txt"));

    settle();
    explain();
    write("include/list.h", "1 2 3 4");
    const std::string found = explain();
    CHECK(has(found, "include/list.h has changed\n"));
    CHECK(has(found, "processor 'join' of 'c.part' ran, because of\n    found include/list.h: "));
    CHECK_FALSE(has(found, "'up'"));

    write("tools/up.sh", "(tr a-z A-Z < $2; echo $1 again) > $3\n");
    CHECK(has(explain(), "processor 'up' of 'a.txt' ran, because of\n    code tools/up.sh: "));

    std::string edited(kProject);
    edited.replace(edited.find("\"one\""), 5, "2");
    write("fardel.toml", edited);
    CHECK(has(explain(), "processor 'up' of 'b.txt' ran, because of\n    parameter suffix: \"one\" → 2\n"));
}

TEST_CASE_FIXTURE(Game, "explain: says that no cache has a result, and that a job ran to compare") {
    explain();
    fs::remove_all(folder + "/.fardel/cache");
    fs::remove(folder + "/game.fardel");
    const std::string again = explain();
    CHECK(has(again, "game.fardel is not as the last build wrote it\n"));
    CHECK(has(again, "'up' of 'a.txt' ran; nothing has changed, but no cache has its result any more\n"));
    CHECK(has(explain({"--verify", "1000"}), "'up' of 'a.txt' ran to compare its result with that of the cache\n"));
}

TEST_CASE_FIXTURE(Game, "log: two machines' logs name the input for which a result was not found") {
    const std::string ci = scratch.path("ci.log");
    const std::string mine = scratch.path("mine.log");
    run_well({"build", folder, "--log", ci});
    // The other machine has the project elsewhere, one source differs, and it has no cache in common.
    fs::copy(folder, scratch.path("clone"), fs::copy_options::recursive);
    fs::remove_all(scratch.path("clone/.fardel"));
    scratch.write("clone/assets/a.txt", "first, with\r\n");
    run_well({"build", scratch.path("clone"), "--log", mine});

    const Outcome diff = run({"log", "diff", ci, mine});
    CHECK(diff.exit_code == 1);
    CHECK(has(diff.out, "up → a.up\n    source a.txt: "));
    CHECK(has(diff.out, "up → b.up: equal keys, and yet it ran in both builds"));
    CHECK(has(diff.out, "3 jobs differ, 0 without difference\n"));
    const json one = json::parse(run({"log", "diff", ci, mine, "--of", "a.txt", "--json"}).out);
    REQUIRE(one["differences"].size() == 1);
    CHECK(one["differences"][0]["changes"][0]["kind"] == "source");

    // A log says where results came from, also if nothing has to be done.
    run_well({"build", folder, "--log", mine});
    CHECK(has(read_file(mine), "\"result\":\"cache\""));
    CHECK(run({"log", "diff", ci, mine}).exit_code == 0);
    CHECK(has(run({"log", "diff", ci, mine, "--of", "nothing.txt"}).err, "neither log has a job of 'nothing.txt'"));
    CHECK(run({"log", "diff", ci, folder + "/fardel.toml"}).exit_code == 1);
    CHECK(run({"log", "diff", ci, scratch.path("none")}).exit_code == 3);
}

TEST_CASE_FIXTURE(Game, "depfile: Ninja and Make build the bundle again for an edit, and for nothing else") {
    write("assets/with space$.dat", "x");
    scratch.write("build.ninja", R"(rule bundle
  command = $$FARDEL build game --depfile game.d
  depfile = game.d
  restat = 1
build game/game.fardel: bundle game/fardel.toml
)");
    scratch.write("Makefile", R"(game/game.fardel: game/fardel.toml
	$$FARDEL build game --depfile game.d
	touch $@
-include game.d
)");
    const auto ninja = [&] { return run_shell("ninja", {.folder = scratch.root()}); };
    const auto make = [&] { return run_shell("make", {.folder = scratch.root()}); };
    Outcome built = ninja();
    CAPTURE(built.out);
    CHECK(built.exit_code == 0);
    CHECK(has(built.out, "packed"));
    CHECK(has(ninja().out, "no work to do"));
    for (const char* const name : {"assets/with space$.dat", "include/list.h", "assets/new.txt"}) {
        write(name, "edited");
        built = ninja();
        CAPTURE(built.out);
        CHECK(has(built.out, "packed"));
        CHECK(has(ninja().out, "no work to do"));
    }
    CHECK(make().exit_code == 0);
    CHECK(has(make().out, "up to date"));
    write("assets/b.txt", "edited");
    CHECK(has(make().out, "packed"));
    CHECK(has(make().out, "up to date"));
}

}  // namespace fardel::tests::build_explain_test
