// fardel build --farm and fardel job run, with the programs for farms in samples/farm: Slurm with two nodes, and ssh.
#include "sample.h"

#include "kit/disks.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <regex>

namespace fardel::tests::farm_test {

using nlohmann::json;

constexpr std::string_view kProject = R"(name = "studio/game"
version = "1.0"
sources = ["assets"]

[processor.up]
command = ["sh", "${code:tools/up.sh}", "${in}", "${out}"]
code = ["tools/up.sh"]
outputs = ["{folder}{stem}.up"]

[processor.big]
command = ["sh", "-c", "cat ${in} > $1; head -c 300000 /dev/zero >> $1", "sh", "${out}"]
outputs = ["{folder}{stem}.big"]

[[rule]]
match = "*.txt"
process = "up"

# Works on what the farm makes, so it is sent after that.
[[rule]]
match = "*.up"
process = "big"

[[cache]]
folder = "../cache"
)";

std::string fardel_path() { return run_shell("printf %s \"$FARDEL\"").out; }

struct FarmedGame {
    const ScratchFolder scratch;
    const std::string game = scratch.path("game");
    const std::string cache = scratch.path("cache");
    std::string program;  // of the farm

    FarmedGame() { write_game("game"); }

    void write_game(const std::string& folder, int files = 24) const {
        for (int i = 0; i < files; ++i)
            scratch.write(folder + "/assets/t" + std::to_string(i) + ".txt", "text " + std::to_string(i));
        scratch.write(folder + "/tools/up.sh", "tr a-z A-Z < $1 > $2\n");
        scratch.write(folder + "/fardel.toml", kProject);
    }
    void write_farm(std::string_view script) {
        scratch.write_program("farm.sh", "#!/bin/sh\n" + std::string(script));
        program = scratch.path("farm.sh");
    }
    Surroundings surroundings(std::vector<std::pair<std::string, std::string>> more = {}) const {
        more.emplace_back("FARDEL_FARM_CACHE", cache);
        return {.variables = std::move(more)};
    }
    json build(const Surroundings& around) const {
        const Outcome outcome = run({"build", game, "--json", "--farm", program}, around);
        CAPTURE(outcome.err);
        REQUIRE(outcome.exit_code == 0);
        return json::parse(outcome.out);
    }
    // The bytes of the bundle that one machine alone builds.
    std::string local_bundle(int files = 24) const {
        write_game("alone/game", files);
        run_well({"build", scratch.path("alone/game")});
        return read_file(scratch.path("alone/game/game.fardel"));
    }
};

constexpr std::string_view kRunAll =
    "wc -l < $1 >> $FARDEL_FARM_CACHE/../lists; cd / && xargs -n 4 -P 2 $FARDEL job run --cache $FARDEL_FARM_CACHE < "
    "$1\n";

TEST_CASE_FIXTURE(FarmedGame, "farm: other machines run the jobs, and the bundle is that of one machine") {
    write_farm(kRunAll);
    const json built = build(surroundings());
    CHECK(built["jobs"] == 48);
    CHECK(built["jobs_sent"] == 48);
    CHECK(built["jobs_returned"] == 48);
    CHECK(built["jobs_run"] == 0);
    CHECK(read_file(scratch.path("lists")) == "24\n24\n");
    CHECK(built["farm_problem"] == "");
    CHECK(read_file(game + "/game.fardel") == local_bundle());

    // Only what an edit changes is sent.
    scratch.write("game/assets/t3.txt", "edited");
    const json again = build(surroundings());
    CHECK(again["jobs_sent"] == 2);
    CHECK(again["jobs_returned"] == 2);
}

TEST_CASE_FIXTURE(FarmedGame, "farm: what does not come back runs on the machine that builds, and the build says so") {
    write_farm("head -n 10 $1 > $1.some; xargs -n 1 $FARDEL job run --cache $FARDEL_FARM_CACHE < $1.some; exit 7\n");
    const Outcome outcome = run({"build", game, "--farm", program}, surroundings());
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out.find("farm: its program " + program + " ended with exit status 7\n") != std::string::npos);
    CHECK(
        std::regex_search(outcome.out, std::regex("farm: 48 jobs sent, [1-9][0-9]* came back; the others ran here\n")));
    CHECK(read_file(game + "/game.fardel") == local_bundle());
}

TEST_CASE_FIXTURE(FarmedGame, "farm: a program that is not there is an error, and a project cannot name one") {
    const Outcome outcome = run({"build", game, "--farm", scratch.path("none")}, surroundings());
    CHECK(outcome.exit_code == 3);
    CHECK(outcome.err.find("the farm's program") != std::string::npos);
    scratch.write("game/fardel.toml", std::string(kProject) + "\n[farm]\ncommand = [\"sh\"]\n");
    CHECK(run({"build", game}).exit_code == 1);
}

TEST_CASE_FIXTURE(FarmedGame,
                  "farm: what a node did not sign with a key that the project trusts is not used") {  // A159
    const std::string key = make_key(scratch, "farm");
    const std::string other = make_key(scratch, "other");
    std::smatch hex;
    const std::string public_file = read_file(key + ".pub");
    REQUIRE(std::regex_search(public_file, hex, std::regex("[0-9a-f]{64}")));
    scratch.write("game/fardel.toml", std::string(kProject) + "signed_by = [\"" + hex.str() + "\"]\n");
    const auto farm_with = [&](const std::string& node_key) {
        write_farm("xargs -n 8 $FARDEL job run --cache $FARDEL_FARM_CACHE --cache-key " + node_key + " < $1\n");
        const Outcome outcome = run({"build", game, "--json", "--farm", program, "--cache-key", key}, surroundings());
        REQUIRE(outcome.exit_code == 0);
        return json::parse(outcome.out)["jobs_returned"].get<int>();
    };
    CHECK(farm_with(other) == 0);
    fs::remove_all(cache);
    fs::remove_all(game + "/.fardel");
    CHECK(farm_with(key) == 48);
}

TEST_CASE_FIXTURE(FarmedGame, "farm: a node reports a job whose program fails, and runs the others of its list") {
    scratch.write("game/tools/up.sh", "case $1 in *t3.txt) exit 9;; esac; tr a-z A-Z < $1 > $2\n");
    // Of the first list; the second one is for what that made.
    write_farm(
        "cd $FARDEL_FARM_CACHE/..; [ ! -e status ] || exit 0\n"
        "$FARDEL job run --json --cache $FARDEL_FARM_CACHE $(cat $1) > ran; echo $? > status\n");
    const Outcome outcome = run({"build", game, "--farm", program}, surroundings());
    CHECK(outcome.exit_code == 1);  // here, too
    CHECK(outcome.err.find("t3.txt") != std::string::npos);
    CHECK(read_file(scratch.path("status")) == "1\n");
    const json ran = json::parse(read_file(scratch.path("ran")));
    REQUIRE(ran["jobs"].size() == 24);
    CHECK(std::ranges::count_if(ran["jobs"], [](const json& job) { return job["failure"] != ""; }) == 1);
}

TEST_CASE_FIXTURE(FarmedGame, "farm: the types of Kubernetes' API hold all of the text that its program makes") {
    scratch.write("list", std::string(64, '1') + "\n" + std::string(64, '2') + "\n");
    const Outcome made = run_program({"sh", FARDEL_SOURCE_DIR "/samples/farm/kubernetes.sh", scratch.path("list")},
                                     {.variables = {{"FARDEL_FARM_KUBECTL", "cat"},
                                                    {"FARDEL_FARM_CACHE", "http://build.example:8080"},
                                                    {"FARDEL_FARM_IMAGE", "studio/fardel:1"}}});
    REQUIRE(made.exit_code == 0);
    scratch.write("manifest.yaml", made.out);
    // What the types do not know, they drop.
    scratch.write("hold.py", R"(
import json, sys, yaml
from kubernetes.client import ApiClient

api = ApiClient()
for text in yaml.safe_load_all(open(sys.argv[1])):
    class Response:
        data = json.dumps(text)
    held = api.sanitize_for_serialization(api.deserialize(Response, "V1" + text["kind"]))
    print(text["kind"], held == text)
)");
    // That of the system, which has its packages.
    const Outcome held = run_program({"/usr/bin/python3", scratch.path("hold.py"), scratch.path("manifest.yaml")});
    CAPTURE(held.err);
    CHECK(held.out == "ConfigMap True\nJob True\n");
}

// ---- ssh ------------------------------------------------------------------------------------------------------------

// A server of ssh on loopback, for the user who runs the test.
class SshServer {
public:
    explicit SshServer(const ScratchFolder& scratch) : folder_(scratch.path("ssh")) {
        fs::create_directories(folder_);
        fs::create_directories("/run/sshd");  // sshd of Debian insists on it
        key("host");
        key("user");
        fs::copy(folder_ + "/user.pub", folder_ + "/authorized");
        fs::permissions(folder_ + "/authorized", fs::perms::owner_read | fs::perms::owner_write);
        for (port_ = 22'000 + ::getpid() % 20'000; !is_up(); ++port_) {
            scratch.write("ssh/config",
                          "ListenAddress 127.0.0.1\nListenAddress 127.0.0.2\nPort " + std::to_string(port_) +
                              "\nHostKey " + folder_ + "/host\nAuthorizedKeysFile " + folder_ +
                              "/authorized\nStrictModes no\nUsePAM no\nPidFile " + folder_ + "/pid\nMaxStartups 100\n");
            run_program({"/usr/sbin/sshd", "-f", folder_ + "/config", "-E", folder_ + "/log"});
            for (int i = 0; i < 50 && !is_up(); ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            if (is_up())
                break;
        }
    }
    ~SshServer() {
        if (is_up())
            ::kill(std::stoi(read_file(folder_ + "/pid")), SIGTERM);
    }
    SshServer(const SshServer&) = delete;
    SshServer& operator=(const SshServer&) = delete;

    // Whether this user may log in.
    bool answers() const { return run_shell(command() + " 127.0.0.1 true").exit_code == 0; }
    std::string log() const { return fs::exists(folder_ + "/log") ? read_file(folder_ + "/log") : "no log"; }
    std::string command() const {
        return "ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o "
               "LogLevel=ERROR -i " +
               folder_ + "/user -p " + std::to_string(port_);
    }

private:
    void key(const std::string& name) const {
        run_program({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder_ + "/" + name});
    }
    bool is_up() const { return fs::exists(folder_ + "/pid"); }

    std::string folder_;
    int port_ = 0;
};

TEST_CASE_FIXTURE(FarmedGame, "farm: through ssh, one of three machines is unreachable and one has a full disk") {
    const SshServer server(scratch);
    if (!server.answers()) {
        MESSAGE("SKIPPED: sshd lets nobody in on this system: " << server.log());
        return;
    }
    const SmallDisk disk(scratch, "256k");
    if (disk.is_missing())
        return;
    disk.fill();
    program = FARDEL_SOURCE_DIR "/samples/farm/ssh.sh";
    // The disk is that of the second machine; at the third address nobody listens.
    scratch.write_program("node.sh", "#!/bin/sh\ncase \"$SSH_CONNECTION\" in *127.0.0.2*) export TMPDIR=" +
                                         disk.root() + ";; esac\nexec " + fardel_path() + " \"$@\"\n");
    const Surroundings around = surroundings({{"FARDEL_FARM_HOSTS", "127.0.0.1 127.0.0.2 127.0.0.9"},
                                              {"FARDEL_FARM_SSH", server.command()},
                                              {"FARDEL_FARM_PROGRAM", scratch.path("node.sh")}});
    const json built = build(around);
    CHECK(built["jobs_sent"] == 48);
    CHECK(built["jobs_returned"] >= 8);  // the first list; later ones may be any
    CHECK(read_file(game + "/game.fardel") == local_bundle());
}

}  // namespace fardel::tests::farm_test
