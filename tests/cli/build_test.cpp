// fardel build: its output and its options. The built content is tested in packer/build_test.
#include "sample.h"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>

namespace fardel::tests::build_test {

using nlohmann::json;

std::string make_project(const ScratchFolder& scratch) {
    scratch.write("game/assets/a.txt", "first");
    scratch.write("game/assets/b.txt", "second");
    scratch.write("game/assets/raw.dat", "raw");
    scratch.write("game/fardel.toml", R"(name = "game"
version = "1.0"
sources = ["assets"]

[processor.up]
command = ["sh", "-c", "echo warning about $1; tr a-z A-Z < $1 > $2", "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.up"]

[[rule]]
match = "*.txt"
process = "up"
)");
    return scratch.path("game");
}

// Has all files of a cache look as if they had last been used 60 days ago.
void age_cache(const std::string& folder) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const timespec old[2] = {{.tv_sec = now.tv_sec - 60 * 86'400, .tv_nsec = 0},
                             {.tv_sec = now.tv_sec - 60 * 86'400, .tv_nsec = 0}};
    for (const fs::path& path : paths_below(folder))
        REQUIRE(::utimensat(AT_FDCWD, path.c_str(), old, 0) == 0);
}

std::size_t files_of_cache(const std::string& folder) {
    return paths_below(folder + "/records").size() + paths_below(folder + "/objects").size();
}

struct ProjectFolder {
    const ScratchFolder scratch;
    const std::string folder = make_project(scratch);
};

TEST_CASE_FIXTURE(
    ProjectFolder,
    "build: at its end it trims its cache and the folders that the project limits, and keeps what it needs") {
    const std::string shared = scratch.path("shared");
    std::ofstream(folder + "/fardel.toml", std::ios::app)
        << "[own_cache]\nunused_days = 30\n[[cache]]\nfolder = \"" << shared << "\"\nbytes_max = 0\n";
    const std::string own = folder + "/.fardel/cache";
    run_well({"build", folder});
    const std::size_t before = files_of_cache(own);
    CHECK(files_of_cache(shared) == before);

    scratch.write("game/assets/a.txt", "the first, changed");
    CHECK(json::parse(run_well({"build", "--json", folder}))["cache"]["trimmed"].empty());
    CHECK(files_of_cache(own) > before);
    age_cache(own);
    age_cache(shared);
    scratch.write("game/assets/raw.dat", "raw, changed");
    const json built = json::parse(run_well({"build", "--json", folder}));
    CHECK(built["jobs_run"] == 0);
    REQUIRE(built["cache"]["trimmed"].size() == 2);
    CHECK(built["cache"]["trimmed"][0]["problem"] == "");
    CHECK(built["cache"]["trimmed"][0]["folder"] == own);
    CHECK(built["cache"]["trimmed"][0]["files_removed"] == 2);
    CHECK(files_of_cache(own) == before);  // what the first file was turned into is gone, the rest was needed
    CHECK(files_of_cache(shared) == 0);    // its own cache has all that the build needed

    // What was not needed by the last build is built again; the limits of the command line come first.
    scratch.write("game/assets/a.txt", "first");
    const json again = json::parse(run_well({"build", "--json", folder, "--cache-unused", "90", "--cache-size", "1G"}));
    CHECK(again["jobs_run"] == 1);
    age_cache(own);
    scratch.write("game/assets/raw.dat", "raw, changed again");
    CHECK(json::parse(run_well({"build", "--json", folder, "--cache-unused", "90"}))["cache"]["trimmed"].empty());
    CHECK(run({"build", folder, "--cache-size", "much"}).exit_code == 2);
}

TEST_CASE_FIXTURE(ProjectFolder, "build: it reports what it ran, what it read, and that nothing was to be done") {
    const std::string first = run_well({"build", folder});
    check_has(first, "fardel.toml:9: processor 'up' of 'a.txt':\nwarning about in/a.txt\n");
    check_has(first, "jobs: 2 of 2 run, 0 from the cache\n");
    check_has(first, "  read        3 of 3 sources; 0 of 1 block copied\n");
    CHECK(first.find("rules that match nothing") == std::string::npos);

    grow_old();
    check_has(run_well({"build", folder}), "game.fardel is up to date (");
    CHECK(run_well({"build", folder}).find("jobs:") == std::string::npos);

    scratch.write("game/assets/b.txt", "changed");
    const std::string changed = run_well({"build", folder});
    check_has(changed, "jobs: 1 of 2 run, 1 from the cache\n");
    check_has(changed, "processor 'up' of 'b.txt'");
    CHECK(changed.find("'a.txt'") == std::string::npos);  // it was reported when it ran
    check_has(changed, "  read        1 of 3 sources;");

    scratch.write("game/fardel.toml",
                  read_file(scratch.path("game/fardel.toml")) + "[[rule]]\nmatch = \"*.none\"\nprocess = \"up\"\n");
    check_has(run_well({"build", folder}), "rules that match nothing: 1\n  ");
}

TEST_CASE("build: blocks are copied in a project whose files have several purposes, unless the purpose is another") {
    const ScratchFolder scratch;
    const std::string folder = scratch.path("game");
    const std::string rules =
        "name = \"game\"\nsources = [\"assets\"]\n[pack]\nfor = \"size\"\n"
        "[[rule]]\nmatch = \"*.lvl\"\nfor = \"load\"\n";
    scratch.write("game/fardel.toml", rules);
    scratch.write("game/assets/a.lvl", prose(100'000, 1));
    scratch.write("game/assets/b.txt", prose(100'000, 2));
    scratch.write("game/assets/c.txt", "first");
    const auto built = [&] {
        const std::string report = run_well({"build", folder});
        const auto from = report.find("  read ");
        return report.substr(from, report.find('\n', from) - from);
    };
    check_has(built(), "0 of 5 blocks copied");
    scratch.write("game/assets/c.txt", "second");
    check_has(built(), "4 of 5 blocks copied");
    const std::string incremental = read_file(folder + "/game.fardel");
    // The level's bytes are now also a text's, which comes first, and is not for loading.
    std::filesystem::rename(folder + "/assets/a.lvl", folder + "/assets/a.txt");
    check_has(built(), "3 of 5 blocks copied");
    const std::string renamed = read_file(folder + "/game.fardel");
    CHECK(renamed != incremental);
    run_well({"build", folder, "--anew"});
    CHECK(read_file(folder + "/game.fardel") == renamed);
}

TEST_CASE_FIXTURE(ProjectFolder, "build: --json reports the same in numbers") {
    const json first = json::parse(run_well({"build", folder, "--json"}));
    CHECK(first["up_to_date"] == false);
    CHECK(first["sources"] == 3);
    CHECK(first["sources_read"] == 3);
    CHECK(first["jobs"] == 2);
    CHECK(first["jobs_run"] == 2);
    REQUIRE(first["logs"].size() == 2);
    check_has(first["logs"][1].get<std::string>(), "warning about in/b.txt");
    CHECK(first["different"] == json::array());
    CHECK(first["seconds"].get<double>() > 0);

    grow_old();
    const json again = json::parse(run_well({"build", folder, "--json"}));
    CHECK(again["up_to_date"] == true);
    CHECK(again["jobs_run"] == 0);
    CHECK(again["logs"] == json::array());
    for (const char* field : {"file", "bundle", "layout", "name", "version", "assets", "file_bytes",
                              "raw_bytes"})  // facts of the existing bundle
        CHECK(again[field] == first[field]);
}

TEST_CASE_FIXTURE(ProjectFolder, "build: --checksum reads every source, and an edit that no stamp shows is found") {
    run_well({"build", folder});
    grow_old();
    run_well({"build", folder});
    const json output = json::parse(run_well({"build", folder, "--json", "--checksum"}));
    CHECK(output["sources_read"] == 3);
    CHECK(output["jobs_run"] == 0);
    CHECK(output["up_to_date"] == true);
}

TEST_CASE_FIXTURE(ProjectFolder, "build: --anew ignores all earlier results") {
    run_well({"build", folder});
    const std::string bundle = read_file(scratch.path("game/game.fardel"));
    const json output = json::parse(run_well({"build", folder, "--json", "--anew"}));
    CHECK(output["sources_read"] == 3);
    CHECK(output["jobs_run"] == 2);
    CHECK(read_file(scratch.path("game/game.fardel")) == bundle);
    // The content of .fardel may be deleted at any time.
    std::filesystem::remove_all(scratch.path("game/.fardel"));
    CHECK(json::parse(run_well({"build", folder, "--json"}))["jobs_run"] == 2);
    CHECK(read_file(scratch.path("game/game.fardel")) == bundle);
}

TEST_CASE_FIXTURE(ProjectFolder, "build: --verify runs cached jobs again, and reports those with different output") {
    run_well({"build", folder});
    const std::string same = run_well({"build", folder, "--verify", "1000"});
    check_has(same, "jobs: 2 of 2 run, 0 from the cache\n");
    check_has(same, " is up to date (");
    CHECK(same.find("gave other bytes") == std::string::npos);

    std::string text = read_file(scratch.path("game/fardel.toml"));
    text.replace(text.find("tr a-z A-Z < $1 > $2"), 20, "od -N8 /dev/urandom > $2");
    scratch.write("game/fardel.toml", text);
    run_well({"build", folder});
    const Outcome outcome = run({"build", folder, "--verify", "1000"});
    CHECK(outcome.exit_code == 1);
    check_has(outcome.out,
              "fardel.toml:9: processor 'up' of 'a.txt': gave other bytes than before for the same inputs\n");
    CHECK(run({"build", folder, "--verify", "1001"}).exit_code == 2);
}

TEST_CASE_FIXTURE(ProjectFolder,
                  "build: a bundle that was removed, replaced or requested with other options is written again") {
    const std::string bundle_path = scratch.path("game/game.fardel");
    run_well({"build", folder});
    const std::string bundle = read_file(bundle_path);
    std::filesystem::remove(bundle_path);
    const json output = json::parse(run_well({"build", folder, "--json"}));
    CHECK(output["up_to_date"] == false);
    CHECK(output["jobs_run"] == 0);
    CHECK(read_file(bundle_path) == bundle);

    // One bit of the bundle is changed outside the program: none of its bytes is reused.
    for (const std::size_t offset : {std::size_t{100}, std::size_t{4096}, std::size_t{4100}, std::size_t{8192},
                                     bundle.size() / 2, bundle.size() * 3 / 4, bundle.size() - 1}) {
        CAPTURE(offset);
        grow_old();
        flip_bit(bundle_path, offset);
        CHECK(json::parse(run_well({"build", folder, "--json"}))["up_to_date"] == false);
        CHECK(read_file(bundle_path) == bundle);
    }

    CHECK(json::parse(run_well({"build", folder, "--json", "--level", "1"}))["up_to_date"] == false);
    CHECK(json::parse(run_well({"build", folder, "--json", "--version", "2"}))["version"] == "2");
    const std::string key = make_key(scratch, "author");
    CHECK(json::parse(run_well({"build", folder, "--json", "--key", key}))["signed_by"].is_string());
    grow_old();
    CHECK(json::parse(run_well({"build", folder, "--json", "--key", key}))["up_to_date"] == true);
    CHECK(json::parse(run_well({"build", folder, "--json"}))["signed_by"].is_null());
    CHECK(read_file(bundle_path) == bundle);
}

TEST_CASE_FIXTURE(ProjectFolder, "build: a failed job is reported together with its output, and the exit code is 1") {
    std::string text = read_file(scratch.path("game/fardel.toml"));
    text.replace(text.find("tr a-z A-Z"), 10, "exit 3; cat");
    scratch.write("game/fardel.toml", text);
    const Outcome outcome = run({"build", folder});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out == "");
    check_has(outcome.err, "fardel.toml:9: processor 'up' of 'a.txt': ");
    check_has(outcome.err, "ended with exit status 3; it printed:\n  warning about in/a.txt");
    CHECK_FALSE(std::filesystem::exists(scratch.path("game/game.fardel")));

    text.replace(text.find("\"sh\", \"-c\""), 10, "\"no-such-program\"");
    scratch.write("game/fardel.toml", text);
    CHECK(run({"build", folder}).exit_code == 3);
}

// A134
TEST_CASE("build: where programs cannot be confined, it says so once, and sandbox = \"required\" refuses") {
    const ScratchFolder scratch;
    const auto write = [&](const std::string& sandbox, const std::string& content) {
        scratch.write("game/fardel.toml", sandbox +
                                              "name = \"game\"\nsources = [\"assets\"]\n"
                                              "[processor.copy]\ncommand = [\"cp\", \"${in}\", \"${out}\"]\n"
                                              "outputs = [\"made/{name}\"]\n"
                                              "[[rule]]\nmatch = \"*.txt\"\nprocess = \"copy\"\n");
        scratch.write("game/assets/a.txt", content);
        scratch.write("game/assets/b.txt", content + "b");
    };
    const auto count = [](const std::string& text) {
        std::size_t found = 0;
        for (std::size_t at = 0; (at = text.find("unconfined", at)) != std::string::npos; ++at)
            ++found;
        return found;
    };
    const std::string game = scratch.path("game");
    const Surroundings old_kernel{.without_landlock = true};

    write("", "1");
    CHECK(count(run_well({"build", game})) == 0);
    write("", "2");
    const std::string text = run_well({"build", game}, old_kernel);
    CHECK(count(text) == 1);
    CHECK(text.find("jobs run unconfined: this system has no Landlock") != std::string::npos);
    CHECK(text.find("sandbox = \"required\"") != std::string::npos);
    write("", "3");
    CHECK(json::parse(run_well({"build", game, "--json"}, old_kernel))
              .at("unconfined")
              .get<std::string>()
              .starts_with("this system has no Landlock"));
    CHECK(count(run_well({"pack", game + "/fardel.toml", "-o", scratch.path("packed.fardel")}, old_kernel)) == 1);
    CHECK(run({"audit", game}, old_kernel).err.find("jobs run unconfined: ") != std::string::npos);

    write("sandbox = \"required\"\n", "4");
    const std::string before = read_file(game + "/game.fardel");
    const Outcome refused = run({"build", game}, old_kernel);
    CHECK(refused.exit_code == 1);
    CHECK(is_one_clear_line(refused, "unsupported"));
    CHECK(refused.err.find("sandbox = \"required\"") != std::string::npos);
    CHECK(read_file(game + "/game.fardel") == before);
    CHECK(json::parse(run_well({"build", game, "--json"})).at("unconfined").is_null());

    write("sandbox = \"off\"\n", "5");
    CHECK(run_well({"build", game}).find("jobs run unconfined: the project has sandbox = \"off\"") !=
          std::string::npos);

    write("sandbox = \"none\"\n", "6");
    const Outcome mistake = run({"build", game});
    CHECK(mistake.exit_code == 1);
    CHECK(mistake.err.find("write sandbox = \"auto\", \"required\" or \"off\"") != std::string::npos);
}

TEST_CASE("build: with sandbox = \"off\" a job reads the project; otherwise a key of the project is out of its reach") {
    const ScratchFolder scratch;
    const std::string key = make_key(scratch, "author");
    fs::create_directory(scratch.path("game"));
    fs::copy_file(key, scratch.path("game/author.key"));
    scratch.write("game/pass", "correct horse");
    const auto build = [&](const std::string& sandbox) {
        scratch.write("game/fardel.toml",
                      sandbox +
                          "name = \"game\"\nkey = \"author.key\"\nsources = [\"assets\"]\n"
                          "[processor.steal]\ncommand = [\"sh\", \"-c\", \"cat $1/author.key $1/pass >$2; : >$3\", "
                          "\"sh\", \"${project}\", \"${out}\", \"${depfile}\", \"${in}\"]\n"
                          "outputs = [\"made/{name}\"]\ndepfile = true\n"
                          "[[rule]]\nmatch = \"*.txt\"\nprocess = \"steal\"\n");
        scratch.write("game/assets/a.txt", sandbox);
        run_well({"build", scratch.path("game")},
                 {.variables = {{"FARDEL_PASSPHRASE_FILE", scratch.path("game/pass")}}});
        return run_well({"cat", scratch.path("game/game.fardel"), "made/a.txt"});
    };
    CHECK(build("").empty());
    const std::string read = build("sandbox = \"off\"\n");
    CHECK(read.starts_with("fardel-secret-key"));
    CHECK(read.ends_with("correct horse"));
}

TEST_CASE_FIXTURE(ProjectFolder, "build: Ctrl-C ends it at once, with the program that it runs") {
    std::string text = read_file(scratch.path("game/fardel.toml"));
    text.replace(text.find("tr a-z A-Z"), 10, "sleep 60; cat");
    scratch.write("game/fardel.toml", text);
    Running build({"build", folder});
    wait_until([&] { return std::filesystem::exists(scratch.path("game/.fardel/jobs")); });
    grow_old();
    const auto start = std::chrono::steady_clock::now();
    build.send(SIGINT);
    const Outcome outcome = build.wait();
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
    CHECK(outcome.signal == SIGINT);
    CHECK_FALSE(std::filesystem::exists(scratch.path("game/game.fardel")));
}

TEST_CASE_FIXTURE(ProjectFolder, "pack: a project with processors gives the bytes that build gives") {
    run_well({"build", folder});
    run_well({"pack", folder + "/fardel.toml", "-o", scratch.path("x.fardel")});
    CHECK(read_file(scratch.path("x.fardel")) == read_file(scratch.path("game/game.fardel")));
}

}  // namespace fardel::tests::build_test
