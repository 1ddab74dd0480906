// The layers of a project's cache that others than the project name: files of the machine and its user, variables,
// options; and what a hostile project gets out of them.
#include "sample.h"

#include "kit/nginx.h"

#include <nlohmann/json.hpp>

namespace fardel::tests::cache_layers_test {

using nlohmann::json;

// A machine with a user, and two checkouts of one project.
struct Machine {
    Machine() {
        around.variables = {{"XDG_CONFIG_HOME", scratch.path("config")},
                            {"FARDEL_MACHINE_CONFIG", scratch.path("etc/config.toml")},
                            {"HOME", scratch.path("home")}};
        fs::create_directory(scratch.path("home"));
        for (const char* name : {"first", "second"}) {
            scratch.write(std::string(name) + "/assets/a.txt", "a text");
            write_project(name, "");
        }
    }
    void write_project(const std::string& name, const std::string& caches) const {
        scratch.write(name + "/fardel.toml", std::string(kCapitalsProject) + caches);
    }
    void write_user(const std::string& text) const { scratch.write("config/fardel/config.toml", text); }
    void write_machine(const std::string& text) const { scratch.write("etc/config.toml", text); }
    json build(const std::string& name, Arguments more = {}) const {
        more.insert(more.begin(), {"build", scratch.path(name), "--json"});
        return json::parse(run_well(more, around));
    }
    std::size_t records_in(const std::string& folder) const {
        std::size_t count = 0;
        if (fs::exists(scratch.path(folder + "/records")))
            for (const auto& entry : fs::recursive_directory_iterator(scratch.path(folder + "/records")))
                count += entry.is_regular_file();
        return count;
    }
    std::string with_root_as(std::string text, const std::string& word) const {
        const std::string root = scratch.root().string();
        for (std::size_t at = 0; (at = text.find(root, at)) != std::string::npos; at += word.size())
            text.replace(at, root.size(), word);
        return text;
    }
    void check_refused(const Arguments& words, const std::string& code, const std::string& text) const {
        const Outcome outcome = run(words, around);
        CHECK(is_one_clear_line(outcome, code));
        check_has(outcome.err, text);
    }

    const ScratchFolder scratch;
    Surroundings around;
};

TEST_CASE_FIXTURE(Machine, "cache layers: what everybody says is one list, and each setting has its origin") {
    write_project("first",
                  "\n[[cache]]\nname = \"farm\"\nurl = \"http://farm.example/c\"\n\n[[cache]]\nfolder = \"~/old\"\n");
    write_machine("cache_graph = \"farm\"\n[[cache]]\nname = \"site\"\nfolder = \"site\"\nbytes_max = 1000\n");
    write_user(
        "[[cache]]\nname = \"fast\"\nfolder = \"${HOME}/c\"\nbefore = \"farm\"\n\n"
        "[[cache]]\nname = \"farm\"\nslow_ms = 50\n\n[[cache]]\nname = \"fram\"\noff = true\n");
    around.variables.emplace_back("FARDEL_CACHE_FOLDER", "off");
    const std::string text = run_well({"cache", "layers", "first", "--cache", "site=read-only"},
                                      {.folder = scratch.root().string(), .variables = around.variables});
    CHECK(with_root_as(text, "@") == R"(graph       farm (@/etc/config.toml:1)
own         folder first/.fardel/cache
            read, write, fill
user        folder @/home/.cache/fardel/jobs
            not used: off
              folder      built in
              bytes_max   built in
              unused_days built in
              off         built in
fast        folder @/home/c
            read, write, fill
              folder      @/config/fardel/config.toml:1
              before      @/config/fardel/config.toml:1
farm        server http://farm.example/c
            read, write, fill
              url         first/fardel.toml:13
              slow_ms     @/config/fardel/config.toml:6
folder      folder @/home/old
            not used: off
              folder      first/fardel.toml:17
              off         FARDEL_CACHE_FOLDER
site        folder @/etc/site
            read
              folder      @/etc/config.toml:2
              bytes_max   @/etc/config.toml:2
              write       --cache
              fill        --cache
note: @/config/fardel/config.toml:10: there is no layer 'fram' here; did you mean 'farm'?
note: @/etc/config.toml:1: there is no graph 'farm' here; the graphs are: desk
)");
    for (const char* folder : {"home/c", "home/old", "etc/site", "first/.fardel"})
        CHECK_FALSE(fs::exists(scratch.path(folder)));  // it opens none

    const json all = json::parse(run_well({"cache", "layers", scratch.path("first"), "--json"}, around));
    CHECK(all["graph"] == "farm");
    REQUIRE(all["layers"].size() == 6);
    CHECK(all["layers"][0]["layer"] == "own");
    CHECK(all["layers"][4]["unused"] == "off");
    CHECK(all["layers"][4]["origins"]["off"] == "FARDEL_CACHE_FOLDER");
    CHECK(all["layers"][5]["bytes_max"] == 1000);
    CHECK(all["notes"].size() == 2);

    // Without a project: what the machine and its user say.
    around.folder = scratch.path("home");
    const json alone = json::parse(run_well({"cache", "layers", "--json"}, around));
    REQUIRE(alone["layers"].size() == 3);
    CHECK(alone["layers"][1]["layer"] == "site");
}

TEST_CASE_FIXTURE(Machine,
                  "build: checkouts share a layer of the user's file, unless a variable or an option is against") {
    write_user("[[cache]]\nname = \"mine\"\nfolder = \"~/cache\"\n");
    CHECK(build("first")["jobs_run"] == 1);
    const json second = build("second");
    CHECK(second["jobs_run"] == 0);
    CHECK(second["cache"]["layers"][1]["layer"] == "mine");
    CHECK(second["cache"]["layers"][1]["name"] == "folder " + scratch.path("home/cache"));
    CHECK(second["cache"]["layers"][1]["hits"] == 1);
    CHECK(read_file(scratch.path("first/game.fardel")) == read_file(scratch.path("second/game.fardel")));

    CHECK(build("second", {"--anew", "--cache", "mine=off"})["jobs_run"] == 1);
    around.variables.emplace_back("FARDEL_CACHE_MINE", "off");
    CHECK(build("second", {"--anew"})["jobs_run"] == 1);
    CHECK(build("second", {"--anew", "--cache", "mine=on"})["jobs_run"] == 0);
    around.variables.back().second = scratch.path("elsewhere");
    CHECK(build("second", {"--anew"})["jobs_run"] == 1);
    CHECK(records_in("elsewhere") == 1);
    run_well({"pack", scratch.path("second/fardel.toml"), "-o", scratch.path("packed.fardel"), "--cache",
              "mine=" + scratch.path("packed-cache")},
             around);
    CHECK(records_in("packed-cache") == 1);
    around.variables.back() = {"FARDEL_CACHE_GRAPH", "farm"};
    write_user("[[cache]]\nname = \"mine\"\nfolder = \"~/cache\"\ngraphs = [\"desk\"]\n");
    CHECK(build("second", {"--anew"})["jobs_run"] == 1);
    CHECK(build("second", {"--anew", "--cache-graph", "desk"})["jobs_run"] == 0);
}

TEST_CASE_FIXTURE(Machine, "build: one word has all checkouts of a user share a layer, and --anew does not read it") {
    const std::string shared = "home/.cache/fardel/jobs";
    build("first");
    CHECK_FALSE(fs::exists(scratch.path(shared)));
    around.variables.emplace_back("FARDEL_CACHE_USER", "on");
    CHECK(build("first", {"--anew"})["jobs_run"] == 1);
    const json second = build("second");
    CHECK(second["jobs_run"] == 0);
    REQUIRE(second["cache"]["layers"].size() == 2);
    CHECK(second["cache"]["layers"][1]["layer"] == "user");
    CHECK(second["cache"]["layers"][1]["name"] == "folder " + scratch.path(shared));
    CHECK(build("second", {"--anew"})["jobs_run"] == 1);
    fs::remove_all(scratch.path("second/.fardel"));
    CHECK(build("second")["jobs_run"] == 0);

    // Other layers are asked first or later as everybody wants; this one directly after the project's own.
    write_project("second", "\n[[cache]]\nname = \"farm\"\nfolder = \"farm\"\n");
    const json layers = json::parse(run_well({"cache", "layers", scratch.path("second"), "--json"}, around))["layers"];
    CHECK(layers[1]["layer"] == "user");
    CHECK(layers[1]["bytes_max"] == 21'474'836'480);
    CHECK(layers[1]["origins"] == json{{"folder", "built in"},
                                       {"bytes_max", "built in"},
                                       {"unused_days", "built in"},
                                       {"off", "FARDEL_CACHE_USER"}});
    // A project cannot have it, by its name or by its folder.
    write_project("second", "\n[[cache]]\nname = \"user\"\nfolder = \"farm\"\n");
    check_refused({"build", scratch.path("second")}, "malformed",
                  "13:1: 'user' is a layer of whoever builds the project");
    around.variables.back().second = "off";
    write_project("second", "\n[[cache]]\nname = \"grab\"\nfolder = \"~/.cache/fardel/jobs\"\nbytes_max = 0\n");
    CHECK(build("second")["cache"]["layers"].size() == 1);
}

TEST_CASE_FIXTURE(Machine, "build: mistakes in settings of layers end it with the file, the line and what to write") {
    const std::string first = scratch.path("first");
    const std::string user = scratch.path("config/fardel/config.toml");
    write_user("[[cache]]\nname = \"mine\"\nfoldr = \"~/cache\"\n");
    check_refused({"build", first}, "malformed",
                  user + ":3:1: there is no key 'foldr' in [[cache]]; did you mean 'folder'?");
    check_refused({"audit", first}, "malformed", user + ":3:1: ");
    check_refused({"which", "--mount", first + "/fardel.toml", "a.up"}, "malformed", user + ":3:1: ");
    write_user("\n[[cache]]\nname = \"mine\"\nfolder = \"${FARM_ROOT}/cache\"\n");
    check_refused({"build", first}, "missing", user + ":2: 'folder': the variable FARM_ROOT is not set; set it, or");
    CHECK(run({"doctor", "caches", "--project", first}, around).exit_code == 1);
    around.variables.emplace_back("FARM_ROOT", scratch.path("farm"));
    CHECK(build("first")["jobs_run"] == 1);
    CHECK(records_in("farm/cache") == 1);
    check_has(run_well({"doctor", "caches", "--project", first, "--json"}, around),
              "mine " + scratch.path("farm/cache") + ": can be read and written");
    check_refused({"build", first, "--cache", "mien=off"}, "missing", "did you mean 'mine'?");
    check_refused({"build", first, "--cache", "mine"}, "malformed",
                  "--cache mine: write NAME=PATH, NAME=URL, NAME=off");
    check_refused({"build", first, "--cache-graph", "dsek"}, "missing",
                  "there is no graph 'dsek' here; did you mean 'desk'?");
    check_refused({"build", first, "--cache-graph", "Farm"}, "malformed",
                  "--cache-graph: 'Farm' is no name of a graph");
    // What fails only saves time: the layer is left out, under its name.
    const std::string gone = "http://127.0.0.1:" + std::to_string(find_free_port());
    check_has(run_well({"build", first, "--anew", "--cache", "mine=off", "--cache", "night=" + gone}, around),
              "cache errors: night (server " + gone + "): ");
    scratch.write("file", "no cache");
    check_has(run_well({"build", first, "--anew", "--cache", "night=" + scratch.path("file")}, around),
              "cache left out: --cache: layer 'night': ");
    around.variables.emplace_back("FARDEL_CACHE_MINE", "ftp://farm/");
    check_refused({"build", first}, "malformed", "FARDEL_CACHE_MINE: 'ftp://farm/' begins with neither http://");
}

TEST_CASE_FIXTURE(Machine, "build: what a project's own layers have does not get into layers of the user") {  // A158
    // A cache that somebody ships with a project: its records are believed for this project alone.
    CHECK(build("first", {"--cache", "shipped=" + scratch.path("second/shipped")})["jobs_run"] == 1);
    write_project("second", "\n[[cache]]\nname = \"shipped\"\nfolder = \"shipped\"\n");
    write_user("[[cache]]\nname = \"mine\"\nfolder = \"~/cache\"\nbefore = \"shipped\"\n");
    const json built = build("second");
    CHECK(built["jobs_run"] == 0);
    CHECK(built["cache"]["layers"][1]["layer"] == "mine");
    CHECK(built["cache"]["layers"][2]["hits"] == 1);
    CHECK(records_in("second/.fardel/cache") == 1);
    CHECK(records_in("home/cache") == 0);
    // Whoever names the location vouches for it.
    build("second", {"--anew", "--cache", "shipped=" + scratch.path("second/shipped")});
    CHECK(records_in("home/cache") == 1);
}

TEST_CASE_FIXTURE(Machine, "build: a project makes no rules for the folder of a layer of the user") {  // A158
    write_user("[[cache]]\nname = \"mine\"\nfolder = \"~/cache\"\n");
    build("first");
    CHECK(records_in("home/cache") == 1);
    // By its path, and by a link that lies in the project.
    for (const std::string folder : {"~/cache", "link"}) {
        if (folder == "link")
            fs::create_symlink(scratch.path("home/cache"), scratch.path("second/link"));
        write_project("second", "\n[[cache]]\nname = \"grab\"\nfolder = \"" + folder + "\"\nbytes_max = 0\n");
        const json built = build("second", {"--anew"});
        CHECK(built["cache"]["layers"].size() == 2);
        check_has(run_well({"cache", "layers", scratch.path("second")}, around),
                  "not used: its folder is that of the layer 'mine' of " + scratch.path("config/fardel/config.toml"));
    }
    // Nor for what takes the place of its own folder.
    write_project("second", "\n[own_cache]\nbytes_max = 0\n");
    fs::remove_all(scratch.path("second/.fardel/cache"));
    fs::create_symlink(scratch.path("home/cache"), scratch.path("second/.fardel/cache"));
    scratch.write("second/assets/b.txt", "another text");
    check_refused({"build", scratch.path("second")}, "untrusted", "a link to the folder of the layer 'mine'");
    CHECK(records_in("home/cache") == 1);
}

TEST_CASE_FIXTURE(Machine, "build: the server of a project gets no file of the user's as its token") {  // A158
    const std::string secret = scratch.write("home/secret", "correct horse\n");
    fs::permissions(secret, fs::perms::owner_read);
    const auto left_out = [&](const std::string& token) {
        write_project("first", "\n[[cache]]\nurl = \"http://127.0.0.1:" + std::to_string(find_free_port()) +
                                   "\"\ntoken_file = \"" + token + "\"\n");
        return run_well({"build", scratch.path("first"), "--anew"}, around);
    };
    check_has(left_out(secret), "the token file of a project lies in its folder; name the layer 'server' with url and");
    check_has(left_out("../home/secret"), "the token file of a project lies in its folder");
    fs::create_symlink(secret, scratch.path("first/token"));
    check_has(left_out("token"), "the token file of a project lies in its folder");
    fs::remove(scratch.path("first/token"));
    fs::rename(secret, scratch.path("first/token"));
    CHECK(left_out("token").find("token file") == std::string::npos);
}

}  // namespace fardel::tests::cache_layers_test
