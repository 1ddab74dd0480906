// A project that is mounted in process: the tree that a build would bundle, through edits.
#include "built_game.h"

#include "kit/bundles.h"

#include <fardel/packer/build.h>
#include <fardel/vfs/inspect.h>
#include <fardel/vfs/vfs.h>

#include <chrono>
#include <thread>

namespace fardel::tests::live_project_test {

constexpr std::string_view kProject = R"(name = "game"
version = "1.0"
sources = ["src"]

[processor.shout]
command = ["sh", "${code:shout.sh}", "${in}", "${out}"]
code = ["shout.sh"]
outputs = ["{name}"]

[[rule]]
match = "**/*.txt"
process = "shout"

[[rule]]
match = "**/*@fr.cfg"
strip = "@fr"
tags = { lang = "fr" }
)";

BuiltGame make_game() {
    BuiltGame game(kProject);
    game.write("src/hello.cfg", "hello");
    game.write("src/hello@fr.cfg", "bonjour");
    game.write("src/notes.txt", "read me");
    game.write("shout.sh", "tr a-z A-Z < \"$1\" > \"$2\"\n");
    grow_old();
    return game;
}

MountOptions live() { return {.allow_unsigned = true, .watch = true, .projects = make_project_reader()}; }

std::string text_at(const Vfs& vfs, std::string_view path) {
    const auto file = vfs.open({path});
    if (!file)
        return file.error().text();
    const auto bytes = file->read_all();
    return bytes ? text_of(*bytes) : bytes.error().text();
}

BuildOutcome build(const BuiltGame& game) {
    return value_of(build_project({.project_file = game.path("fardel.toml"), .level = 1}));
}

// The path of the change that is seen next, or the error.
std::string next_change(Vfs& vfs) {
    std::string seen;
    const bool has_changed = wait_until([&] {
        const auto changes = vfs.poll();
        if (!changes)
            seen = changes.error().text();
        else
            for (const AssetChange& change : *changes)
                seen += (seen.empty() ? "" : " ") + change.path;
        return !seen.empty();
    });
    CHECK(has_changed);
    return seen;
}

TEST_CASE("live project: a mount has the rules, the variants and the jobs of a build, and its bundle id") {
    const BuiltGame game = make_game();
    Vfs vfs;
    value_of(vfs.mount(game.path("fardel.toml"), live()));
    CHECK(text_at(vfs, "notes.txt") == "READ ME");
    CHECK(text_at(vfs, "hello.cfg") == "hello");
    vfs.prefer(value_of(parse_variant_preference("lang=fr")));
    CHECK(text_at(vfs, "hello.cfg") == "bonjour");
    CHECK_FALSE(vfs.exists("hello@fr.cfg"));
    CHECK_FALSE(fs::exists(game.path("game.fardel")));  // nothing is written but the state of builds

    const BundleId mounted = vfs.mounts().front().bundle;
    const BuildOutcome built = build(game);
    CHECK(built.counts.jobs_run == 0);  // the mount has run them
    CHECK(built.summary.bundles.front().written.bundle == mounted);
}

TEST_CASE("live project: nothing is written, so the folder of the project may be its source") {
    const BuiltGame game("name = \"game\"\nsources = [\".\"]\nexclude = [\"fardel.toml\"]\n");
    game.write("hello.cfg", "hello");
    CHECK_FALSE(build_project({.project_file = game.path("fardel.toml"), .level = 1}));
    Vfs vfs;
    value_of(vfs.mount(game.path("fardel.toml"), live()));
    CHECK(text_at(vfs, "hello.cfg") == "hello");
    CHECK(value_of(vfs.poll()).empty());
    game.write("hello.cfg", "again");
    CHECK(next_change(vfs) == "/hello.cfg");
    CHECK(value_of(vfs.list("/")).size() == 3);  // with assets and bundles
}

TEST_CASE("live project: edits of a source, a rule, a program and the project file are followed") {
    const BuiltGame game = make_game();
    Vfs vfs;
    value_of(vfs.mount(game.path("fardel.toml"), live()));
    CHECK(value_of(vfs.poll()).empty());

    game.write("src/hello.cfg", "hello again");
    CHECK(next_change(vfs) == "/hello.cfg");
    CHECK(text_at(vfs, "hello.cfg") == "hello again");

    game.write("src/notes.txt", "read this");  // the input of a job
    CHECK(next_change(vfs) == "/notes.txt");
    CHECK(text_at(vfs, "notes.txt") == "READ THIS");

    game.write("shout.sh", "cat \"$1\" \"$1\" > \"$2\"\n");
    CHECK(next_change(vfs) == "/notes.txt");
    CHECK(text_at(vfs, "notes.txt") == "read thisread this");

    game.write("src/new/file.cfg", "new");
    CHECK(next_change(vfs) == "/new/file.cfg");

    game.replace("fardel.toml", "process = \"shout\"", "exclude = true");
    CHECK(next_change(vfs) == "/notes.txt");
    CHECK_FALSE(vfs.exists("notes.txt"));
}

TEST_CASE("live project: a mistake leaves the tree, is reported once, and its repair is followed") {
    const BuiltGame game = make_game();
    Vfs vfs;
    value_of(vfs.mount(game.path("fardel.toml"), live()));
    game.replace("fardel.toml", "match = \"**/*.txt\"", "mach = \"**/*.txt\"");
    CHECK(next_change(vfs).find("mach") != std::string::npos);
    for (int i = 0; i < 5; ++i)
        CHECK(value_of(vfs.poll()).empty());
    CHECK(text_at(vfs, "notes.txt") == "READ ME");
    game.replace("fardel.toml", "mach", "match");
    game.write("src/hello.cfg", "repaired");
    CHECK(next_change(vfs) == "/hello.cfg");

    game.write("shout.sh", "echo no >&2; exit 1\n");  // a job that fails
    game.write("src/notes.txt", "other");
    const std::string failed = next_change(vfs);
    CHECK(failed.find("notes.txt") != std::string::npos);
    CHECK(failed != "/notes.txt");
    CHECK(value_of(vfs.poll()).empty());
    CHECK(text_at(vfs, "notes.txt") == "READ ME");
    game.write("shout.sh", "cat \"$1\" > \"$2\"\n");
    CHECK(next_change(vfs) == "/notes.txt");
    CHECK(text_at(vfs, "notes.txt") == "other");
}

TEST_CASE("live project: a job goes on while a file is edited that is none of its inputs") {
    const BuiltGame game(R"(name = "game"
sources = ["src"]
sandbox = "off"
[processor.bake]
command = ["tools/bake.sh", "${in}", "${out}"]
outputs = ["{stem}.light"]
[[rule]]
match = "*.map"
process = "bake"
)");
    game.write("src/level.map", "level");
    game.write("src/notes.txt", "first");
    game.write_program("tools/bake.sh", "#!/bin/sh\necho begin >> '" + game.path("log") + "'\nwhile [ ! -e '" +
                                            game.path("go") + "' ]; do sleep 0.02; done\ncp $1 $2\n");
    const auto begun = [&] { return fs::exists(game.path("log")) ? game.read("log") : std::string(); };
    std::jthread editor([&] {
        wait_until([&] { return !begun().empty(); });
        game.write("src/notes.txt", "second");
        std::this_thread::sleep_for(std::chrono::seconds(1));  // in which the project is read again
        game.write("go", "");
    });
    Vfs vfs;
    value_of(vfs.mount(game.path("fardel.toml"), live()));
    CHECK(text_at(vfs, "level.light") == "level");
    CHECK(text_at(vfs, "notes.txt") == "second");
    CHECK(begun() == "begin\n");
}

TEST_CASE("live project: a running game shows what a build beside it has written") {
    const BuiltGame game = make_game();
    build(game);
    Vfs vfs;
    value_of(vfs.mount(game.path("game.fardel"), {.allow_unsigned = true, .watch = true}));
    CHECK(text_at(vfs, "notes.txt") == "READ ME");
    build(game);
    CHECK(value_of(vfs.poll()).empty());
    game.write("src/notes.txt", "rebuilt");
    build(game);
    CHECK(next_change(vfs) == "/notes.txt");
    CHECK(text_at(vfs, "notes.txt") == "REBUILT");
}

TEST_CASE("live project: a build beside a mounted project goes on, and so does the mount") {
    const BuiltGame game = make_game();
    Vfs vfs;
    value_of(vfs.mount(game.path("fardel.toml"), live()));
    game.write("src/notes.txt", "together");
    build(game);
    CHECK(next_change(vfs) == "/notes.txt");
    CHECK(text_at(vfs, "notes.txt") == "TOGETHER");
    Vfs built;
    value_of(built.mount(game.path("game.fardel"), {.allow_unsigned = true}));
    CHECK(text_at(built, "notes.txt") == "TOGETHER");
}

}  // namespace fardel::tests::live_project_test
