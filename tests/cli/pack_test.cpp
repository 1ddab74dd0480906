#include "sample.h"

#include "kit/archives.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

namespace fardel::tests::pack_test {

using nlohmann::json;

TEST_CASE_FIXTURE(GameFolder, "pack: a folder becomes a bundle, and its content is reported") {
    const std::string out = scratch.path("game.fardel");
    const Outcome outcome = run({"pack", game, "-o", out, "--name", "game", "--version", "1.0"});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err == "");
    CHECK(outcome.out.find("game 1.0") != std::string::npos);
    CHECK(outcome.out.find("4 behind 5 names") != std::string::npos);
    CHECK(outcome.out.find("unsigned; 'fardel sign' signs it") != std::string::npos);
    CHECK(word_after(outcome.out, "bundle") == run_well({"id", out}).substr(0, 64));
    CHECK(outcome.out.find('\x1b') == std::string::npos);
}

TEST_CASE_FIXTURE(GameFolder, "pack: --json reports the same to programs") {
    const std::string out = scratch.path("x.fardel");
    const json report = json::parse(run_well({"pack", game, "-o", out, "--json", "--exclude", "docs/**"}));
    CHECK(report["file"] == out);
    CHECK(report["name"] == "x");
    CHECK(report["version"] == "");
    CHECK(report["assets"] == 3);
    CHECK(report["names"] == 4);
    CHECK(report["duplicates"] == 1);
    CHECK(report["duplicate_bytes"] == 5000);
    CHECK(report["signed_by"].is_null());
    CHECK(report["refused"].empty());
    CHECK(report["overridden"].empty());
    REQUIRE(report["excluded"].size() == 1);
    CHECK(report["excluded"][0]["pattern"] == "docs/**");
    CHECK(report["file_bytes"] == fs::file_size(out));
    CHECK(report["bundle"].get<std::string>() + "\n" == run_well({"id", out}));
}

TEST_CASE_FIXTURE(GameFolder, "pack: later sources win, and names that cannot be packed are reported") {
    scratch.write("mod/default.cfg", "set name \"modder\"\n");
    scratch.write("mod/con.txt", "reserved by Windows");
    const std::string out = scratch.path("both.fardel");
    const Outcome outcome = run({"pack", game, scratch.path("mod"), "-o", out});
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.find("not packed: 1\n") != std::string::npos);
    CHECK(outcome.out.find("con.txt") != std::string::npos);
    CHECK(outcome.out.find("hidden by a later source: 1\n") != std::string::npos);
    CHECK(run_well({"cat", out, "default.cfg"}) == "set name \"modder\"\n");

    const json report = json::parse(run_well({"pack", game, scratch.path("mod"), "-o", out, "--json"}));
    REQUIRE(report["refused"].size() == 1);
    CHECK(report["refused"][0]["name"] == "con.txt");
    REQUIRE(report["overridden"].size() == 1);
    CHECK(report["overridden"][0]["name"] == "default.cfg");
}

TEST_CASE("pack: long lists are cut for people and whole in JSON") {
    const ScratchFolder scratch;
    for (int i = 0; i < 25; ++i)
        scratch.write("art/draft" + std::to_string(i) + ".psd", "x");
    scratch.write("art/done.png", "png");
    const std::string out = scratch.path("art.fardel");
    const std::string text = run_well({"pack", scratch.path("art"), "-o", out, "--exclude", "*.psd"});
    CHECK(text.find("excluded: 25\n") != std::string::npos);
    CHECK(text.find("… and 15 more; --json lists all") != std::string::npos);
    CHECK(json::parse(run_well({"pack", scratch.path("art"), "-o", out, "--exclude", "*.psd", "--json"}))["excluded"]
              .size() == 25);
}

TEST_CASE_FIXTURE(GameFolder, "pack: the same sources give the same bytes, whatever --jobs is") {
    run_well({"pack", game, "-o", scratch.path("a.fardel"), "--name", "game", "--jobs", "1"});
    run_well({"pack", game, "-o", scratch.path("b.fardel"), "--name", "game", "--jobs", "2"});
    CHECK(read_file(scratch.path("a.fardel")) == read_file(scratch.path("b.fardel")));
}

TEST_CASE_FIXTURE(GameFolder, "pack: --level changes the layout and not the bundle id") {
    const json fast = json::parse(
        run_well({"pack", game, "-o", scratch.path("a.fardel"), "--name", "game", "--level", "1", "--json"}));
    const json small = json::parse(
        run_well({"pack", game, "-o", scratch.path("b.fardel"), "--name", "game", "--level", "19", "--json"}));
    CHECK(fast["bundle"] == small["bundle"]);
}

TEST_CASE_FIXTURE(GameFolder, "pack: --key also signs the bundle, with the time of SOURCE_DATE_EPOCH") {
    const std::string key = make_key(scratch, "author");
    const Surroundings then{.variables = {{"SOURCE_DATE_EPOCH", "1700000000"}}};
    const Arguments pack_a{"pack", game,    "-o", scratch.path("a.fardel"), "--name", "game", "--version",
                           "1.0",  "--key", key};
    const Arguments pack_b{"pack",  game, "-o",    scratch.path("b.fardel"), "--name", "game", "--version", "1.0",
                           "--key", key,  "--json"};
    CHECK(run_well(pack_a, then).find("signed by") != std::string::npos);
    const json report = json::parse(run_well(pack_b, then));
    CHECK(read_file(scratch.path("a.fardel")) == read_file(scratch.path("b.fardel")));
    CHECK(report["file_bytes"] == fs::file_size(scratch.path("b.fardel")));

    const json identity = json::parse(run_well({"id", "--json", scratch.path("a.fardel")}));
    REQUIRE(identity["signatures"].size() == 1);
    CHECK(identity["signatures"][0]["good"] == true);
    CHECK(identity["signatures"][0]["role"] == "author");
    CHECK(identity["signatures"][0]["name"] == "game");
    CHECK(identity["signatures"][0]["version"] == "1.0");
    CHECK(identity["signatures"][0]["created"] == 1700000000);
    CHECK(identity["signatures"][0]["key"] == report["signed_by"]);

    const Outcome nonsense = run(pack_a, {.variables = {{"SOURCE_DATE_EPOCH", "yesterday"}}});
    CHECK(nonsense.exit_code == 1);
    CHECK(is_one_clear_line(nonsense, "malformed"));
}

TEST_CASE_FIXTURE(GameFolder, "pack: replaces an older bundle, and nothing else") {
    const std::string out = scratch.path("game.fardel");
    run_well({"pack", game, "-o", out});
    scratch.write("game/new.txt", "new");
    run_well({"pack", game, "-o", out});
    CHECK(run_well({"cat", out, "new.txt"}) == "new");

    const std::string precious = scratch.write("precious.txt", "do not lose me");
    const Outcome outcome = run({"pack", game, "-o", precious});
    CHECK(outcome.exit_code == 1);
    CHECK(is_one_clear_line(outcome, "conflict"));
    CHECK(read_file(precious) == "do not lose me");
}

TEST_CASE_FIXTURE(GameFolder, "pack: OUT among the sources, or inside one, is refused before any work") {
    const std::string bundle = make_bundle(scratch);
    for (const Arguments& arguments :
         {Arguments{"pack", game, "-o", game + "/game.fardel"},
          Arguments{"pack", game + "/../game", "-o", game + "/maps/x.fardel"},
          Arguments{"pack", game, bundle, "-o", bundle}, Arguments{"pack", game, "-o", game}}) {
        const Outcome outcome = run(arguments);
        CHECK(outcome.exit_code == 1);
        CHECK(is_one_clear_line(outcome, "conflict"));
    }
    CHECK(list_folder(game).find("fardel") == std::string::npos);
}

TEST_CASE_FIXTURE(GameFolder,
                  "pack: missing sources and folders are refused, and so are sources that are not archives") {
    const Outcome absent = run({"pack", scratch.path("absent"), "-o", scratch.path("x.fardel")});
    CHECK(absent.exit_code == 3);
    CHECK(is_one_clear_line(absent, "missing"));
    const Outcome nowhere = run({"pack", game, "-o", scratch.path("no/such/folder/x.fardel")});
    CHECK(nowhere.exit_code == 3);
    CHECK(is_one_clear_line(nowhere, "missing"));
    const Outcome text = run({"pack", game + "/default.cfg", "-o", scratch.path("x.fardel")});
    CHECK(text.exit_code == 1);
    CHECK(is_one_clear_line(text, "malformed"));
    fs::create_directory(scratch.path("empty"));
    const Outcome empty = run({"pack", scratch.path("empty"), "-o", scratch.path("x.fardel")});
    CHECK(empty.exit_code == 1);
    CHECK(is_one_clear_line(empty, "unresolved"));
    const Outcome glob = run({"pack", game, "-o", scratch.path("x.fardel"), "--exclude", "../*"});
    CHECK(glob.exit_code == 1);
    CHECK(is_one_clear_line(glob, "malformed"));
    CHECK_FALSE(fs::exists(scratch.path("x.fardel")));
}

TEST_CASE("pack: names of sources are used unchanged") {
    const ScratchFolder scratch;
    for (const char* name : {"[maps]", "{}", "%%", "a b", "-x"}) {
        CAPTURE(name);
        scratch.write(std::string(name) + "/file.txt", name);
        run_well({"pack", "-o", "out.fardel", "--", name}, {.folder = scratch.root()});
        CHECK(run_well({"cat", scratch.path("out.fardel"), "file.txt"}) == name);
    }
}

TEST_CASE_FIXTURE(GameFolder, "pack: if the bundle cannot be written, the folder is unchanged") {
    fs::create_directory(scratch.path("out"));
    const Outcome full = run({"pack", game, "-o", scratch.path("out/x.fardel")}, {.file_bytes_max = 64 * 1024});
    CHECK(full.exit_code == 1);
    CHECK(is_one_clear_line(full, "limit"));  // a disk that is full is in disk_full_test.cpp
    CHECK(list_folder(scratch.path("out")) == "");
}

TEST_CASE_FIXTURE(GameFolder,
                  "pack: it runs with standard output closed, and its messages do not get into the bundle") {
    const std::string out = scratch.path("game.fardel");
    run_shell("\"$FARDEL\" pack " + game + " -o " + out + " >&- 2>&- <&-");
    const std::string bundle = read_file(out);
    CHECK(bundle.find("packed ") == std::string::npos);
    CHECK(run_well({"verify", out}).find("good") != std::string::npos);
}

TEST_CASE_FIXTURE(GameFolder,
                  "pack: what a bundle requires by name is stated, shown by id, and checked in a set by verify") {
    const std::string out = scratch.path("mod.fardel");
    run_well(
        {"pack", game, "-o", out, "--name", "mods/castle", "--require", "studio/base>=1.0,<2", "--require", "lib"});
    const json facts = json::parse(facts_of(out));
    CHECK(facts["requires"] == json{"lib", "studio/base >= 1.0, < 2"});
    CHECK(run_well({"id", "--all", out}).find("requires   studio/base >= 1.0, < 2\n") != std::string::npos);
    CHECK(is_one_clear_line(run({"pack", game, "-o", out, "--require", "studio/base 1.0"}), "malformed"));

    const std::string base = scratch.path("base.fardel");
    const std::string lib = scratch.path("lib.fardel");
    run_well({"pack", game, "-o", base, "--name", "studio/base", "--version", "1.5"});
    run_well({"pack", game, "-o", lib, "--name", "lib", "--version", "1"});
    CHECK(run({"verify", out, base, lib}).exit_code == 0);
    run_well({"pack", game, "-o", base, "--name", "studio/base", "--version", "2.0"});
    const Outcome unmet = run({"verify", out, base, lib});
    CHECK(unmet.exit_code == 1);
    CHECK(unmet.out.find("requirement-unmet") != std::string::npos);

    scratch.write("project/fardel.toml", "name = \"mods/castle\"\nsources = [\"files\"]\nrequires = [\"lib >= 2\"]\n");
    scratch.write("project/files/a.txt", "a");
    run_well({"pack", scratch.path("project/fardel.toml"), "-o", out, "--require", "studio/base"});
    CHECK(json::parse(facts_of(out))["requires"] == json{"lib >= 2", "studio/base"});
}

TEST_CASE_FIXTURE(GameFolder,
                  "pack: a secret beside the content is refused and named, from folders and archives") {  // A151
    const std::string out = scratch.path("game.fardel");
    const std::string key = make_key(scratch, "author");
    const std::string key_text = read_file(key);
    struct Secret {
        std::string name;
        std::string text;
    };
    for (const Secret& one : {Secret{"author.key", key_text}, Secret{"docs/.env", "PASSWORD=1\n"},
                              Secret{"server.pem", "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n"}}) {
        CAPTURE(one.name);
        scratch.write("game/" + one.name, one.text);
        const std::string archive = scratch.path("game.zip");
        const Bytes zip = build_zip({{.name = "a.txt", .content = "a"}, {.name = one.name, .content = one.text}});
        write_file(archive, std::string_view(reinterpret_cast<const char*>(zip.data()), zip.size()));
        for (const std::string& source : {game, archive}) {
            const Outcome refused = run({"pack", source, "-o", out, "--name", "game"});
            CHECK(is_one_clear_line(refused, "denied"));
            check_has(refused.err, one.name);
            check_has(refused.err, "--allow-secret");
            CHECK_FALSE(fs::exists(out));
            run_well({"pack", source, "-o", out, "--name", "game", "--allow-secret", one.name});
            CHECK(run_well({"cat", out, one.name}) == one.text);
            run_well({"pack", source, "-o", out, "--name", "game", "--exclude", one.name});
            fs::remove(out);
        }
        fs::remove(scratch.path("game/" + one.name));
    }
}

TEST_CASE_FIXTURE(GameFolder,
                  "build: a secret among the sources is refused unless the project allows it by name") {  // A151
    const std::string project = "name = \"game\"\nsources = [\"docs\"]\n";
    const std::string file = scratch.write("game/fardel.toml", project);
    const Arguments build{"build", game};
    run_well(build);
    scratch.write("game/docs/author.key", read_file(make_key(scratch, "author")));
    const Outcome refused = run(build);
    CHECK(is_one_clear_line(refused, "denied"));
    check_has(refused.err, "author.key");
    check_has(refused.err, "allow_secrets = ['author.key']");
    CHECK(is_one_clear_line(run(build), "denied"));  // not remembered as read
    CHECK(is_one_clear_line(run({"pack", file, "-o", scratch.path("x.fardel")}), "denied"));
    scratch.write("game/fardel.toml", project + "allow_secrets = ['author.key']\n");
    run_well(build);
}

}  // namespace fardel::tests::pack_test
