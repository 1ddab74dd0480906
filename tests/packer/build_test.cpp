// Builds with the program, real folders and real converters. The output always equals that of a clean build.
#include "built_game.h"
#include "kit/ids.h"

#include <fardel/format/bundle.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>
#include <fardel/verifier/bundle_contents.h>

#include <nlohmann/json.hpp>

#include <csignal>
#include <iterator>
#include <map>

namespace fardel::tests::build_test {

using nlohmann::json;

// *.txt → *.up → *.num, which keeps the *.up; *.c with headers that a depfile lists; all *.part joined into one file.
constexpr std::string_view kProject = R"(name = "game"
version = "1"
sources = ["assets"]

[processor.up]
command = ["tools/up.sh", "${in}", "${out}", "${parameter:suffix}"]
outputs = ["{folder}{stem}.up"]
parameters = { suffix = "!" }
code = ["tools/code.txt"]

[processor.num]
command = ["sh", "-c", "wc -c < \"$1\" > \"$2\"", "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.num"]
keep_source = true

[processor.inc]
command = ["sh", "${code:tools/inc.sh}", "${in}", "${out}", "${depfile}", "${project}"]
outputs = ["{folder}{stem}.inc"]
code = ["tools/inc.sh"]
depfile = true

[processor.join]
command = ["sh", "-c", "cat in/* in/*/* > \"$0\" 2> /dev/null; true", "${out}"]

[[rule]]
match = "**/*.txt"
process = "up"

[[rule]]
match = "**/*.up"
process = "num"

[[rule]]
match = "**/*.c"
process = "inc"

[[job]]
sources = ["**/*.part"]
process = "join"
outputs = ["all.bin"]
)";

constexpr std::string_view kUp = "#!/bin/sh\ntr a-z A-Z < \"$1\" > \"$2\"\nprintf '%s' \"$3\" >> \"$2\"\n";
// The program reads inc.h, and before it special.h if that exists.
constexpr std::string_view kInc =
    "header=inc.h\n[ -e \"$4/special.h\" ] && header=special.h\ncat \"$1\" \"$4/$header\" > \"$2\"\necho \"out: "
    "$4/special.h $4/$header\" > \"$3\"\n";

class Game : public BuiltGame {
public:
    Game() : BuiltGame(kProject) {
        write_program("tools/up.sh", kUp);
        write("tools/inc.sh", kInc);
        write("tools/code.txt", "1");
        write("inc.h", "#one\n");
        for (const char* name : {"a", "b", "sub/c"}) {
            write("assets/" + std::string(name) + ".txt", "text of " + std::string(name));
            write("assets/" + std::string(name) + ".part", "part " + std::string(name));
        }
        write("assets/x.c", "int x;\n");
        write("assets/raw.dat", "raw");
    }

    // Returns the number of jobs that ran.
    int run_jobs(const Arguments& more = {}) const { return build(more)["jobs_run"]; }
    // Lists the files that a build left; only the expected ones may be there.
    void check_nothing_left() const {
        for (const auto& entry : fs::directory_iterator(path(""))) {
            const std::string name = entry.path().filename().string();
            CAPTURE(name);
            CHECK((name == "assets" || name == "tools" || name == "inc.h" || name == "special.h" ||
                   name == "fardel.toml" || name == "game.fardel" || name == ".fardel"));
        }
        CHECK_FALSE(fs::exists(path(".fardel/jobs")));
    }
};

std::vector<fs::path> files_of_cache(const std::string& folder) {
    std::vector<fs::path> files = paths_below(folder);
    std::erase_if(files, [](const fs::path& path) { return path.filename() == "CACHEDIR.TAG"; });
    return files;
}

bool is_refused(const Outcome& outcome, std::string_view code, std::string_view words) {
    INFO(outcome.err);
    CHECK(outcome.exit_code != 0);
    CHECK(outcome.err.find("[" + std::string(code) + "]\n") != std::string::npos);
    CHECK(outcome.err.find(words) != std::string::npos);
    return outcome.exit_code != 0;
}

TEST_CASE("build: a second build runs no job, reads nothing and leaves the bundle unchanged") {
    const Game game;
    const json first = game.build();
    CHECK(first["up_to_date"] == false);
    CHECK(first["jobs"] == 8);
    CHECK(first["jobs_run"] == 8);
    CHECK(first["sources_read"] == 8);
    CHECK(first["idle_rules"].empty());
    const auto time = fs::last_write_time(game.path("game.fardel"));
    grow_old();
    for (int round = 0; round < 3; ++round) {
        const json again = game.build();
        CHECK(again["up_to_date"] == true);
        CHECK(again["jobs_run"] == 0);
        CHECK(again["bundle"] == first["bundle"]);
    }
    CHECK(game.build()["sources_read"] == 0);
    CHECK(fs::last_write_time(game.path("game.fardel")) == time);
    CHECK(game.bundle() == game.clean_bundle());
    game.check_nothing_left();
}

TEST_CASE("build: after one source changed, only jobs that depend on it are run") {
    const Game game;
    game.build();
    grow_old();
    game.build();  // now all files are old enough to be remembered
    game.write("assets/b.txt", "other");
    const json report = game.build();
    CHECK(report["jobs_run"] == 2);  // up, num
    CHECK(report["sources_read"] == 1);
    CHECK(report["up_to_date"] == false);
    game.write("assets/raw.dat", "other");
    CHECK(game.run_jobs() == 0);
    game.write("assets/a.part", "other");
    CHECK(game.run_jobs() == 1);
    // The job's output is the same, so the outputs made from it come from the cache.
    game.write("assets/b.txt", "OTHER");
    CHECK(game.run_jobs() == 1);
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("build: a touched source is read and changes nothing; an older file put back is a change") {  // A110
    const Game game;
    game.write("assets/a.txt", "old words");
    game.build();
    const std::string old_bundle = game.bundle();
    const auto old_time = fs::last_write_time(game.path("assets/a.txt"));
    grow_old();
    game.build();
    fs::last_write_time(game.path("assets/a.txt"), fs::file_time_type::clock::now());
    const json touched = game.build();
    CHECK(touched["up_to_date"] == true);
    CHECK(touched["sources_read"] == 1);
    CHECK(touched["jobs_run"] == 0);

    game.write("assets/a.txt", "new words");
    CHECK(game.run_jobs() == 2);
    CHECK(game.bundle() != old_bundle);
    grow_old();
    game.build();
    game.write("assets/a.txt", "old words");
    fs::last_write_time(game.path("assets/a.txt"), old_time);  // size and time as they were at the first build
    CHECK(game.run_jobs() == 0);
    CHECK(game.bundle() == old_bundle);

    // The clock went back: the file is written later and looks older.
    grow_old();
    game.build();
    game.write("assets/a.txt", "odd words");
    fs::last_write_time(game.path("assets/a.txt"), old_time - std::chrono::hours(1000));
    CHECK(game.run_jobs() == 2);
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("build: a change of a processor's definition, code or program is a change of its outputs") {  // A111
    const Game game;
    game.build();
    const auto changed = [&](int jobs) {
        const json report = game.build();
        CHECK(report["jobs_run"] == jobs);
        CHECK(game.bundle() == game.clean_bundle());
    };
    game.replace("fardel.toml", "suffix = \"!\"", "suffix = \"?\"");
    changed(6);
    game.replace("fardel.toml", "keep_source = true", "keep_source = true\nversion = \"2\"");
    changed(3);
    game.replace("fardel.toml", "keep_source = true", "keep_source = true\ntags = { quality = \"hd\" }");
    changed(3);
    game.write("tools/code.txt", "2");
    changed(3);
    game.write_program("tools/up.sh", std::string(kUp) + "printf more >> \"$2\"\n");
    changed(6);
    game.replace("fardel.toml", "keep_source = true", "keep_source = false");
    changed(0);
    game.replace("fardel.toml", "version = \"1\"", "version = \"7\"");  // the version of the bundle
    changed(0);
}

TEST_CASE("build: files that a depfile lists are watched, including missing ones") {
    const Game game;
    game.build();
    grow_old();
    game.build();
    game.write("inc.h", "#two\n");
    CHECK(game.run_jobs() == 1);
    CHECK(game.bundle() == game.clean_bundle());
    grow_old();
    game.build();
    CHECK(game.build()["up_to_date"] == true);

    game.write("special.h", "#special\n");  // the depfile listed it as missing
    CHECK(game.run_jobs() == 1);
    CHECK(game.bundle() == game.clean_bundle());
    game.write("inc.h", "#one\n");  // no longer read
    CHECK(game.run_jobs() == 0);
    fs::remove(game.path("special.h"));
    CHECK(game.run_jobs() == 0);  // as in the first build
    CHECK(game.bundle() == game.clean_bundle());
}

TEST_CASE("build: after any edits the result equals that of a clean build") {  // A110
    const Game game;
    FARDEL_RANDOM(random);
    const std::vector<std::string> endings{".txt", ".c", ".part", ".dat"};
    std::map<std::string, std::pair<std::string, fs::file_time_type>> older;
    std::string story;
    for (int round = 0; round < 12; ++round) {
        for (std::uint64_t edit = 0, edits = 1 + random() % 3; edit < edits; ++edit) {
            std::vector<std::string> names;
            for (const auto& file : files_of_cache(game.path("assets")))
                names.push_back(file.lexically_relative(game.path("")).string());
            const std::string& name = names[random() % names.size()];
            const std::string fresh = "assets/" + std::string(random() % 2 ? "sub/" : "") + "n" +
                                      std::to_string(random() % 6) + endings[random() % endings.size()];
            const bool must_stay = name == "assets/a.part";  // a [[job]] needs at least one source
            const std::uint64_t kind = random() % 7;
            if (kind == 0) {
                story += "add " + fresh + "\n";
                game.write(fresh, "new " + std::to_string(random() % 4));
            } else if (kind == 1) {
                story += "change " + name + "\n";
                older[name] = {game.read(name), fs::last_write_time(game.path(name))};
                game.write(name, "changed " + std::to_string(random() % 4));
            } else if (kind == 2 && !must_stay) {
                story += "delete " + name + "\n";
                fs::remove(game.path(name));
            } else if (kind == 3 && !must_stay) {
                story += "rename " + name + " " + fresh + "\n";
                fs::rename(game.path(name), game.path(fresh));
            } else if (kind == 4) {
                story += "touch " + name + "\n";
                fs::last_write_time(game.path(name), fs::file_time_type::clock::now());
            } else if (kind == 5 && !older.empty()) {
                const auto old = *older.begin();
                story += "restore " + old.first + "\n";
                game.write(old.first, old.second.first);
                fs::last_write_time(game.path(old.first), old.second.second);
                older.erase(old.first);
            } else {
                story += "header\n";
                game.write(random() % 3 == 0 ? "special.h" : "inc.h", "#" + std::to_string(random() % 3) + "\n");
            }
        }
        story += "build\n";
        INFO(story);
        if (random() % 3 == 0)
            grow_old();
        game.build();
        REQUIRE(game.bundle() == game.clean_bundle());
    }
    const std::string bundle = game.bundle();
    game.build({"--anew"});
    CHECK(game.bundle() == bundle);
}

TEST_CASE("build: another copy of the project with the same cache runs no processor") {
    const Game game;
    game.build();
    // A copy in another folder, with the same jobs in its cache and no database.
    const Game other;
    fs::create_directories(other.path(".fardel"));
    fs::copy(game.path(".fardel/cache"), other.path(".fardel/cache"), fs::copy_options::recursive);
    const json report = other.build();
    CHECK(report["jobs"] == 8);
    CHECK(report["jobs_run"] == 0);
    CHECK(report["sources_read"] == 8);
    CHECK(other.bundle() == game.bundle());
}

TEST_CASE("build: a cache that was damaged, cut, mixed up or emptied changes no output") {  // A109
    const Game game;
    game.build();
    const std::string bundle = game.bundle();
    FARDEL_RANDOM(random);
    for (int round = 0; round < 12; ++round) {
        const auto files = files_of_cache(game.path(".fardel/cache"));
        REQUIRE(files.size() >= 10);
        std::string story;
        for (std::size_t i = 0; i < 4; ++i) {
            const fs::path& file = files[random() % files.size()];
            const fs::path& other = files[random() % files.size()];
            const auto size = fs::exists(file) ? fs::file_size(file) : 0;
            const std::string name = file.lexically_relative(game.path(".fardel/cache")).string();
            if (size == 0)
                continue;
            fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
            const std::uint64_t kind = random() % 4;
            if (kind == 0) {
                story += "remove " + name + "\n";
                fs::remove(file);
            } else if (kind == 1) {
                story += "cut " + name + "\n";
                fs::resize_file(file, random() % size);
            } else if (kind == 2) {
                story += "damage " + name + "\n";
                std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
                bytes.seekp(static_cast<std::streamoff>(random() % size));
                bytes.put(static_cast<char>(random()));
            } else if (fs::exists(other) && other != file) {
                story += "replaced " + name + " with another file\n";
                fs::copy_file(other, file, fs::copy_options::overwrite_existing);
            }
        }
        fs::remove(game.path("game.fardel"));
        fs::remove(game.path(".fardel/build.sqlite"));
        INFO(story);
        game.build();
        REQUIRE(game.bundle() == bundle);
    }
    CHECK(game.run_jobs({"--anew"}) == 8);
    CHECK(game.bundle() == bundle);
}

TEST_CASE("build: a build database that was damaged or lost changes no output") {  // A114
    const Game game;
    game.build();
    const std::string bundle = game.bundle();
    const std::string whole = game.read(".fardel/build.sqlite");
    FARDEL_RANDOM(random);
    for (int round = 0; round < 10; ++round) {
        std::string damaged = whole;
        for (int i = 0; i < 20; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        game.write(".fardel/build.sqlite", round % 3 == 0 ? damaged.substr(0, random() % damaged.size()) : damaged);
        fs::remove(game.path("game.fardel"));
        CHECK(game.run_jobs() == 0);
        REQUIRE(game.bundle() == bundle);
    }
}

TEST_CASE("build: --verify reports a processor whose output differs each time") {  // A112
    const Game game;
    game.build();
    CHECK(game.build({"--verify", "1000"})["different"].empty());
    game.write_program("tools/up.sh", "#!/bin/sh\nod -An -N8 -tx8 /dev/urandom > \"$2\"\n");
    game.build();
    CHECK(game.build()["different"].empty());
    const Outcome outcome = game.run_build({"--verify", "1000"});
    CHECK(outcome.exit_code == 1);
    const json report = json::parse(outcome.out);
    REQUIRE(report["different"].size() == 3);
    CHECK(report["different"][0].get<std::string>().find("processor 'up' of 'a.txt'") != std::string::npos);
    CHECK(report["jobs_run"].get<int>() >= 8);
}

TEST_CASE("build: references that a job reports for its output are resolved, and the next build knows them") {
    const ScratchFolder scratch;
    scratch.write("game/tools/scene_list.py", read_file(FARDEL_SOURCE_DIR "/samples/processor/scene_list.py"));
    scratch.write("game/assets/town.scene", "sprites/tree.png 3\nsprites/gone.png 1\nsprites/tree.png 1\n");
    scratch.write("game/assets/sprites/tree.png", "a tree");
    scratch.write("game/fardel.toml", R"(name = "game"
sources = ["assets"]
[processor.scenes]
command = ["python3", "${code:tools/scene_list.py}"]
code = ["tools/scene_list.py"]
protocol = true
outputs = ["{folder}{stem}.list"]
[[rule]]
match = "**/*.scene"
process = "scenes"
[link]
)");
    for (const char* const more : {"", "another build, with the job's answer from the cache"}) {
        scratch.write("game/assets/more.txt", more);
        run_well({"build", scratch.path("game"), "--level", "1"});
        const auto bundle = Bundle::open(open_file_source(scratch.path("game/game.fardel")).value(), {});
        REQUIRE(bundle);
        const auto contents = read_contents(**bundle);
        REQUIRE(contents);
        const auto list = std::ranges::find(contents->names, "town.list", &ContentName::text);
        REQUIRE(list != contents->names.end());
        const auto& references = contents->assets[list->variants.at(0).asset].references;
        REQUIRE(references.size() == 1);  // a missing target is not in the table
        CHECK(references[0].spelling == "sprites/tree.png");
        CHECK(references[0].kind == ReferenceKind::internal);
        CHECK(references[0].asset == id_of("a tree"));
    }
}

TEST_CASE("build: a failed job is named, the bundle is unchanged, and successful jobs are not run again") {
    const Game game;
    game.build();
    const std::string bundle = game.bundle();
    game.write_program("tools/up.sh", std::string(kUp) + "case \"$1\" in *b.txt) echo no good >&2; exit 3;; esac\n");
    game.write("assets/a.txt", "new a");
    const Outcome outcome = game.run_build({"--jobs", "1"});
    CHECK(is_refused(outcome, "unresolved", "fardel.toml:25: processor 'up' of 'b.txt'"));
    CHECK(outcome.err.find("no good") != std::string::npos);
    CHECK(game.bundle() == bundle);

    fs::rename(game.path("assets/b.txt"), game.path("assets/d.txt"));
    const int jobs = game.run_jobs();
    CHECK(jobs >= 1);
    CHECK(jobs <= 5);  // the jobs of 'a' succeeded before
    CHECK(game.bundle() == game.clean_bundle());
    game.check_nothing_left();
}

TEST_CASE("build: after a kill at any point, the next build succeeds and equals a clean build") {  // A100
    const Game game;
    for (int i = 0; i < 6; ++i)
        game.write("assets/more" + std::to_string(i) + ".txt", "more " + std::to_string(i));
    const std::string wanted = game.clean_bundle();
    FARDEL_RANDOM(random);
    for (int round = 0; round < 36; ++round) {
        if (round % 6 == 0)
            fs::remove_all(game.path(".fardel"));
        if (round % 4 == 0)
            fs::remove(game.path("game.fardel"));
        {
            const Running build({"build", game.path(""), "--level", "1"});
            std::this_thread::sleep_for(std::chrono::microseconds(random() % (round % 2 ? 60'000 : 300'000)));
            build.send(SIGKILL);
        }
        if (fs::exists(game.path("game.fardel")))
            REQUIRE(game.bundle() == wanted);
        if (round % 3 == 2) {
            game.build();
            REQUIRE(game.bundle() == wanted);
            game.check_nothing_left();
        }
    }
}

// The jobs of 'up' wait until there is a file tools/go.
std::string waiting_script(const Game& game, const std::string& then) {
    return "#!/bin/sh\nwhile [ ! -e '" + game.path("tools/go") + "' ]; do sleep 0.02; done\n" + then;
}

void wait_for_a_job(const Game& game) {
    const auto is_there = [&] {
        std::error_code error;
        return fs::exists(game.path(".fardel/jobs"), error) && !fs::is_empty(game.path(".fardel/jobs"), error) &&
               !error;
    };
    wait_until([&] { return is_there(); });
    REQUIRE(is_there());
}

TEST_CASE("build: of two simultaneous builds of one project, one is refused as busy") {
    const Game game;
    game.write_program("tools/up.sh", waiting_script(game, "cp \"$1\" \"$2\"\n"));
    Running first({"build", game.path("")});
    wait_for_a_job(game);
    CHECK(is_refused(game.run_build(), "busy", "another build of this project is at work; wait for it"));
    game.write("tools/go", "");
    CHECK(first.wait().exit_code == 0);
    grow_old();
    CHECK(run_well({"build", game.path("")}).find(" is up to date (") != std::string::npos);
}

TEST_CASE("build: a source that is edited during the build causes no wrong result") {  // A110
    const Game game;
    game.write_program("tools/up.sh", waiting_script(game, "tr a-z A-Z < \"$1\" > \"$2\"\n"));
    Running build({"build", game.path(""), "--level", "1", "--jobs", "1"});
    wait_for_a_job(game);
    game.write("assets/b.txt", "edited meanwhile");         // its job comes later
    game.write("assets/raw.dat", "edited meanwhile, too");  // no job reads it
    game.write("tools/go", "");
    const Outcome outcome = build.wait();
    CHECK(is_refused(outcome, "conflict", "assets/"));
    CHECK_FALSE(fs::exists(game.path("game.fardel")));
    game.build();
    CHECK(game.bundle() == game.clean_bundle());
    game.write("assets/b.txt", "text of b");
    game.write("assets/raw.dat", "raw");
    game.build();
    CHECK(game.bundle() == game.clean_bundle());
    game.check_nothing_left();
}

TEST_CASE("build: a job is denied access to undeclared files") {  // A113
    const Game game;
    game.write_program("tools/up.sh", "#!/bin/sh\ncat \"" + game.path("inc.h") + "\" > \"$2\"\n");
    const Outcome outcome = game.run_build();
    CHECK(is_refused(outcome, "denied", "processor 'up' of"));
    CHECK_FALSE(fs::exists(game.path("game.fardel")));
}

TEST_CASE("build: outputs that a job discovers go through the rules, each file once") {
    const Game game;
    game.write("fardel.toml",
               "name = \"game\"\nsources = [\"assets\"]\n[processor.split]\ncommand = [\"sh\", \"-c\", \"split -l 1 "
               "\\\"$1\\\" out/\", \"sh\", \"${in}\", \"${out}\"]\n"
               "[processor.up]\ncommand = [\"tools/up.sh\", \"${in}\", \"${out}\", \"!\"]\noutputs = [\"{name}.up\"]\n"
               "[[rule]]\nmatch = \"*.lines\"\nprocess = \"split\"\n[[rule]]\nmatch = \"a?\"\nprocess = \"up\"\n");
    game.write("assets/x.lines", "one\ntwo\nthree\n");
    const json report = game.build();
    CHECK(report["jobs"] == 4);
    CHECK(report["jobs_run"] == 4);
    game.write("assets/x.lines", "one\ntwo\nfour\n");
    CHECK(game.run_jobs() == 2);
    CHECK(game.bundle() == game.clean_bundle());
    CHECK(run_well({"cat", game.path("game.fardel"), "ac.up"}) == "FOUR\n!");
}

}  // namespace fardel::tests::build_test
