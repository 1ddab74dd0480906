// fardel doctor: what it says of a good machine, and of each thing that is spoiled.

#include "sample.h"

#include "kit/nginx.h"

#include <nlohmann/json.hpp>

#include <map>

namespace fardel::tests::doctor_test {

namespace fs = std::filesystem;
using nlohmann::json;

using Fact = std::map<std::string, std::string>;  // its advice is "" for none

struct Patient {
    Patient() {
        fs::create_directories(scratch.path("home"));
        around.folder = scratch.root().string();
        around.variables = {{"HOME", scratch.path("home")}};
    }
    // The facts of one topic.
    std::vector<Fact> ask(const std::string& topic, Arguments options = {}, int exit_code = 0) {
        options.insert(options.begin(), {"doctor", "--json"});
        const Outcome outcome = run(options, around);
        CAPTURE(outcome.out);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == exit_code);
        const json report = json::parse(outcome.out);
        CHECK(report["fine"] == (exit_code == 0));
        std::vector<Fact> facts;
        for (const json& fact : report["facts"])
            if (fact["topic"] == topic)
                facts.push_back({{"verdict", fact["verdict"]},
                                 {"text", fact["text"]},
                                 {"advice", fact["advice"].is_null() ? "" : fact["advice"]}});
        REQUIRE_FALSE(facts.empty());
        return facts;
    }

    const ScratchFolder scratch;
    Surroundings around;
};

TEST_CASE_FIXTURE(Patient, "doctor: has a line for each topic, and changes nothing") {
    const std::string before = list_folder(scratch.root());
    const std::string said = run_well({"doctor"}, around);
    for (const char* topic :
         {"sandbox", "fuse", "keys", "caches", "store", "clock", "archives", "images", "servers", "disk"})
        check_has(said, std::string(" ") + topic + ": ");
    check_has(said, "Everything that was asked for works.\n");
    check_has(said, "fardel-archive reads archives");
    CHECK(list_folder(scratch.root()) == before);
    check_has(run_well({"doctor", "clock"}, around), "  ok       clock: 20");
    CHECK(run_well({"doctor", "clock"}, around).find("sandbox") == std::string::npos);
    const Outcome unknown = run({"doctor", "clokc"}, around);
    CHECK(unknown.exit_code == 2);
    check_has(unknown.err, "there is no topic 'clokc'; use sandbox, fuse");
}

TEST_CASE_FIXTURE(Patient, "doctor: without Landlock it says so, and a project that requires it is a problem") {
    around.without_landlock = true;
    CHECK(ask("sandbox")[0]["verdict"] == "note");
    ask("sandbox", {"sandbox"}, 1);  // it was asked for
    scratch.write("fardel.toml", "name = \"a\"\nsources = [\".\"]\nsandbox = \"required\"\n");
    CHECK(ask("sandbox", {}, 1)[0]["verdict"] == "problem");
    around.without_landlock = false;
    CHECK(ask("sandbox")[0]["verdict"] == "ok");
}

TEST_CASE_FIXTURE(Patient, "doctor: reads keys as signing does, without asking for a passphrase") {
    const std::string key = make_key(scratch, "author");
    check_has(ask("keys", {"--key", key})[0]["text"], "without a passphrase");
    fs::permissions(key, fs::perms::group_read, fs::perm_options::add);
    Fact open = ask("keys", {"--key", key}, 1)[0];
    CHECK(open["verdict"] == "problem");
    CHECK(ask("keys", {"--key", scratch.path("none.key")}, 1)[0]["advice"] == "'fardel keygen -o FILE' makes a key");
    scratch.write("secret", "correct horse\n");
    fs::permissions(scratch.path("secret"), fs::perms::owner_read);
    Surroundings typed = around;
    typed.variables.emplace_back("FARDEL_PASSPHRASE_FILE", scratch.path("secret"));
    run_well({"keygen", "-o", scratch.path("b.key")}, typed);
    check_has(ask("keys", {"--key", scratch.path("b.key")})[0]["text"], "under a passphrase");
    scratch.write("fardel.toml", "name = \"a\"\nsources = [\".\"]\nkey = \"author.key\"\n");
    CHECK(open["text"] == scratch.root().string() + "/" + ask("keys", {}, 1)[0]["text"]);
}

TEST_CASE_FIXTURE(Patient, "doctor: opens the caches of a project as builds do, each in bounded time") {
    const Nginx nginx(scratch);
    scratch.write("assets/a.txt", "a");
    const std::string start = "name = \"a\"\nsources = [\"assets\"]\n";
    scratch.write("fardel.toml", start + "[[cache]]\nurl = \"" + nginx.url() + "\"\nwrite = false\nfill = false\n" +
                                     "[[cache]]\nfolder = \"shared\"\n");
    auto facts = ask("caches");
    REQUIRE(facts.size() == 3);
    check_has(facts[0]["text"], "is not there yet");
    check_has(facts[1]["text"], "answered in");
    check_has(facts[2]["text"], "shared: is not there yet");
    CHECK_FALSE(fs::exists(scratch.path("shared")));
    run_well({"cache", "init", ".fardel/cache"}, around);
    facts = ask("caches");
    check_has(facts[0]["text"], "can be read and written, has ");

    scratch.write("fardel.toml", start + "[[cache]]\nurl = \"http://127.0.0.1:" + std::to_string(find_free_port()) +
                                     "\"\n[[cache]]\nfolder = \"assets\"\n");
    facts = ask("caches", {}, 1);
    CHECK(facts[1]["verdict"] == "problem");
    CHECK(facts[2]["verdict"] == "problem");  // a folder, and no cache
}

TEST_CASE_FIXTURE(Patient, "doctor: finds a store that is none, a project with a mistake, and a clock that is behind") {
    scratch.write("data/fardel/other.txt", "not a store");
    around.variables.emplace_back("XDG_DATA_HOME", scratch.path("data"));
    CHECK(ask("store", {}, 1)[0]["verdict"] == "problem");
    scratch.write("fardel.toml", "nmae = \"a\"\n");
    check_has(ask("project", {"clock"}, 1)[0]["text"], "fardel.toml:1:");
    fs::remove(scratch.path("fardel.toml"));
    CHECK(ask("project", {"--project", "elsewhere"}, 1)[0]["verdict"] == "problem");
    ask("store", {"--store", "nowhere"}, 1);
    if (can_move_clock()) {
        const Outcome outcome = run_with_moved_clock("-4000d", {"doctor", "clock"}, around);
        CHECK(outcome.exit_code == 1);
        check_has(outcome.out, "problem  clock: it is ");
        check_has(outcome.out, "set the clock");
    }
}

TEST_CASE_FIXTURE(Patient, "doctor: says that a program of its own is missing") {
    fs::create_directories(scratch.path("bin"));
    fs::copy_file(FARDEL_PROGRAM, scratch.path("bin/fardel"));
    const Outcome outcome = run_program({scratch.path("bin/fardel"), "doctor", "archives", "images"}, around);
    CHECK(outcome.exit_code == 1);
    check_has(outcome.out, "note     archives: ");
    check_has(outcome.out, "2 things do not work.");
}

}  // namespace fardel::tests::doctor_test
