// fardel build --farm with a real Slurm on loopback: a controller and three nodes, of which one is killed on the way,
// and one has a full disk.
#include "sample.h"

#include "kit/disks.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <csignal>

namespace fardel::tests::slurm_farm_test {

using nlohmann::json;

constexpr int kFiles = 40;

// munged, slurmctld and three slurmd with files of their own, for the user who runs the test. Slurm needs root.
class Slurm {
public:
    explicit Slurm(const ScratchFolder& scratch) : scratch_(scratch), folder_(scratch.path("slurm")) {
        for (const char* const name : {"state", "n1", "n2", "n3"})
            fs::create_directories(folder_ + "/" + name);
        for (const std::string& folder : std::vector<std::string>{scratch.root(), folder_})
            fs::permissions(folder, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                                        fs::perms::others_read | fs::perms::others_exec);
        scratch.write("slurm/munge.key", std::string(128, 'k'));
        fs::permissions(folder_ + "/munge.key", fs::perms::owner_read | fs::perms::owner_write);
        port_ = 21'000 + ::getpid() % 20'000;
        write_configuration();
        start({"munged", "--force", "--key-file=" + folder_ + "/munge.key", "--socket=" + folder_ + "/munge.socket",
               "--pid-file=" + folder_ + "/munge.pid", "--log-file=" + folder_ + "/munge.log",
               "--seed-file=" + folder_ + "/munge.seed"});
        start({"slurmctld", "-f", configuration()});
        start_node("n1");
        start_node("n2");
        start_node("n3");
    }
    ~Slurm() {
        for (const char* const name : {"n1", "n2", "n3", "ctld", "munge"})
            stop(name, SIGKILL);
    }
    Slurm(const Slurm&) = delete;
    Slurm& operator=(const Slurm&) = delete;

    std::string configuration() const { return folder_ + "/slurm.conf"; }
    // Until all nodes are idle; at most half a minute.
    bool is_ready() const {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (std::chrono::steady_clock::now() < deadline) {
            if (run_program({"timeout", "5", "sinfo", "-h", "-o", "%D %t"},
                            {.variables = {{"SLURM_CONF", configuration()}}})
                    .out == "3 idle\n")
                return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
        return false;
    }
    void kill_node(const std::string& name) const { stop(name, SIGKILL); }
    std::string logs() const {
        std::string text;
        for (const char* const name : {"ctld.log", "n1.log", "n2.log", "n3.log"})
            if (fs::exists(folder_ + "/" + name))
                text += read_file(folder_ + "/" + name);
        return text;
    }

private:
    void write_configuration() const {
        std::string text =
            "ClusterName=try\nSlurmctldHost=localhost(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\n"
            "AuthType=auth/munge\nAuthInfo=socket=" +
            folder_ + "/munge.socket\nStateSaveLocation=" + folder_ + "/state\nSlurmdSpoolDir=" + folder_ +
            "/%n\nSlurmctldPidFile=" + folder_ + "/ctld.pid\nSlurmdPidFile=" + folder_ +
            "/%n.pid\nSlurmctldLogFile=" + folder_ + "/ctld.log\nSlurmdLogFile=" + folder_ +
            "/%n.log\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSelectType=select/cons_tres\n"
            "SelectTypeParameters=CR_CPU\nReturnToService=2\nSlurmdTimeout=5\nMpiDefault=none\n"
            "SchedulerParameters=batch_sched_delay=0,sched_interval=1\nInactiveLimit=0\nKillWait=1\n"
            "PartitionName=all Nodes=n1,n2,n3 Default=YES MaxTime=INFINITE State=UP\n";
        text += "SlurmctldPort=" + std::to_string(port_) + "\n";
        for (int node = 1; node <= 3; ++node)
            text += "NodeName=n" + std::to_string(node) +
                    " NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=2 Port=" + std::to_string(port_ + node) + "\n";
        scratch_.write("slurm/slurm.conf", text);
        scratch_.write("slurm/cgroup.conf", "CgroupPlugin=cgroup/v1\n");  // else nodes want a mounted cgroup
    }
    void start(const Arguments& words) const {
        run_program(words);  // is_ready() says whether it is up
    }
    void start_node(const std::string& name) const { start({"slurmd", "-f", configuration(), "-N", name}); }
    void stop(const std::string& name, int signal) const {
        const std::string file = folder_ + "/" + name + ".pid";
        if (fs::exists(file))
            ::kill(std::stoi(read_file(file)), signal);
    }

    const ScratchFolder& scratch_;
    std::string folder_;
    int port_ = 0;
};

void write_project(const ScratchFolder& scratch, const std::string& folder) {
    for (int i = 0; i < kFiles; ++i)
        scratch.write(folder + "/assets/t" + std::to_string(i) + ".txt", "text " + std::to_string(i));
    scratch.write(folder + "/fardel.toml", R"(name = "studio/game"
version = "1.0"
sources = ["assets"]

[processor.up]
command = ["sh", "-c", "sleep 0.2; tr a-z A-Z < $1 > $2", "sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.up"]

[[rule]]
match = "*.txt"
process = "up"

[[cache]]
folder = "../cache"
)");
}

TEST_CASE("farm: Slurm runs the jobs, one node is lost, one has a full disk, and the bundle is that of one machine") {
    if (::geteuid() != 0) {
        MESSAGE("SKIPPED: Slurm's nodes run as root");
        return;
    }
    const ScratchFolder scratch;
    const Slurm slurm(scratch);
    if (!slurm.is_ready()) {
        MESSAGE("SKIPPED: Slurm's daemons do not start on this system: " << slurm.logs());
        return;
    }
    const SmallDisk disk(scratch, "256k");
    if (disk.is_missing())
        return;
    disk.fill();
    // It fails at once, and Slurm would give it most of the other tasks if it did not pause.
    scratch.write_program("node.sh", "#!/bin/sh\n[ \"$SLURMD_NODENAME\" != n3 ] || export TMPDIR=" + disk.root() +
                                         "\nexec \"$FARDEL\" \"$@\"\n");
    write_project(scratch, "game");
    const std::string cache = scratch.path("cache");
    Running build({"build", scratch.path("game"), "--json", "--farm", FARDEL_SOURCE_DIR "/samples/farm/slurm.sh"},
                  {.variables = {{"SLURM_CONF", slurm.configuration()},
                                 {"FARDEL_FARM_PROGRAM", scratch.path("node.sh")},
                                 {"FARDEL_FARM_PAUSE", "20"},
                                 {"FARDEL_FARM_CACHE", cache}}});
    const auto results = [&] { return fs::exists(cache + "/records") ? paths_below(cache + "/records").size() : 0; };
    // The tickets, and then the first results; the folders count, too.
    for (int i = 0; i < 600 && results() < kFiles + kFiles / 4; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    slurm.kill_node("n2");
    const Outcome outcome = build.wait();
    CAPTURE(outcome.err);
    CAPTURE(slurm.logs());
    REQUIRE(outcome.exit_code == 0);
    const json built = json::parse(outcome.out);
    CHECK(built["jobs_sent"] == kFiles);
    CHECK(built["jobs_returned"] >= kFiles * 3 / 4);

    write_project(scratch, "alone/game");
    run_well({"build", scratch.path("alone/game")});
    CHECK(read_file(scratch.path("game/game.fardel")) == read_file(scratch.path("alone/game/game.fardel")));
}

}  // namespace fardel::tests::slurm_farm_test
