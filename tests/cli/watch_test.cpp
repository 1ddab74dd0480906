// fardel watch runs in the background, while the test edits a project and reads the bundle.
#include "sample.h"

#include <csignal>
#include <functional>

namespace fardel::tests::watch_test {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kProject = R"(name = "game"
sources = ["assets"]

[processor.up]
command = ["tools/up.sh", "${in}", "${out}"]
outputs = ["{folder}{stem}.up"]

[[rule]]
match = "*.txt"
process = "up"
)";

class Watch {
public:
    explicit Watch(std::string_view script = "tr a-z A-Z < $1 > $2\n") {
        scratch.write("game/assets/a.txt", "first");
        scratch.write("game/assets/raw.dat", "raw");
        scratch.write("game/fardel.toml", kProject);
        write_script(script);
    }
    void start() { watch_.emplace(Arguments{"watch", scratch.path("game"), "--level", "1"}); }
    void write_script(std::string_view text) const {
        const std::string path = scratch.write("game/tools/up.sh", "#!/bin/sh\n" + std::string(text));
        std::filesystem::permissions(path, std::filesystem::perms::owner_exec, std::filesystem::perm_options::add);
    }
    void write(const std::string& name, std::string_view text) const { scratch.write("game/" + name, text); }

    // Waits until the bundle has that file with that text.
    bool gives(const std::string& name, std::string_view text) const {
        return wait_until([&] {
            const Outcome outcome = run({"cat", scratch.path("game/game.fardel"), name});
            return outcome.exit_code == 0 && outcome.out == text;
        });
    }
    bool reports(std::string_view text) const {
        return wait_until([&] { return watch_->errors().find(text) != std::string::npos; });
    }
    bool runs_a_job() const {
        return wait_until([&] {
            std::error_code error;
            return std::filesystem::exists(scratch.path("game/.fardel/jobs"), error) &&
                   !std::filesystem::is_empty(scratch.path("game/.fardel/jobs"), error) && !error;
        });
    }
    // Ends it with Ctrl-C, which is prompt and leaves no temporary files.
    Outcome end() {
        const auto start = Clock::now();
        watch_->send(SIGINT);
        Outcome outcome = watch_->wait();
        CHECK(Clock::now() - start < std::chrono::seconds(20));
        CHECK(outcome.signal == SIGINT);
        std::string left;
        for (const auto& entry : std::filesystem::directory_iterator(scratch.path("game")))
            if (const std::string name = entry.path().filename().string(); name != "assets" && name != "tools" &&
                                                                           name != "fardel.toml" &&
                                                                           name != "game.fardel" && name != ".fardel")
                left += name + " ";
        CHECK(left == "");
        return outcome;
    }

    ScratchFolder scratch;

private:
    std::optional<Running> watch_;
};

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; at += part.size())
        ++count;
    return count;
}

TEST_CASE("watch: builds when it starts, and again for each change of a source") {
    Watch watch;
    watch.start();
    CHECK(watch.gives("a.up", "FIRST"));
    watch.write("assets/a.txt", "second");
    CHECK(watch.gives("a.up", "SECOND"));
    watch.write("assets/new/folder/b.dat", "added");
    CHECK(watch.gives("new/folder/b.dat", "added"));
    watch.write("assets/new/folder/b.dat", "changed");
    CHECK(watch.gives("new/folder/b.dat", "changed"));
    std::filesystem::rename(watch.scratch.path("game/assets/raw.dat"), watch.scratch.path("game/assets/moved.dat"));
    CHECK(watch.gives("moved.dat", "raw"));
    CHECK(run({"cat", watch.scratch.path("game/game.fardel"), "raw.dat"}).exit_code != 0);
    std::filesystem::remove(watch.scratch.path("game/assets/moved.dat"));
    CHECK(wait_until([&] { return run({"cat", watch.scratch.path("game/game.fardel"), "moved.dat"}).exit_code != 0; }));
    const Outcome outcome = watch.end();
    CHECK(count(outcome.out, "packed ") >= 5);
}

TEST_CASE("watch: a broken project file is reported, and built again after its repair") {
    Watch watch;
    watch.start();
    CHECK(watch.gives("a.up", "FIRST"));
    watch.write("fardel.toml", std::string(kProject) + "nonsense = 1\n");
    CHECK(watch.reports("there is no key 'nonsense'"));
    watch.write("assets/a.txt", "second");
    watch.write("fardel.toml", std::string(kProject) + "[[rule]]\nmatch = \"raw.dat\"\nname = \"cooked.dat\"\n");
    CHECK(watch.gives("cooked.dat", "raw"));
    CHECK(watch.gives("a.up", "SECOND"));
    watch.end();
}

TEST_CASE("watch: a file that the project includes is followed, also while it is absent or broken") {
    Watch watch;
    watch.write("tools/common.toml", "[[rule]]\nmatch = \"raw.dat\"\nname = \"cooked.dat\"\n");
    watch.write("fardel.toml", "include = [\"tools/common.toml\"]\n" + std::string(kProject));
    watch.start();
    CHECK(watch.gives("cooked.dat", "raw"));
    watch.write("tools/common.toml", "[[rule]]\nmatch = \"raw.dat\"\nnam = \"fried.dat\"\n");
    CHECK(watch.reports("common.toml:3:1: there is no key 'nam'"));
    watch.write("tools/common.toml", "[[rule]]\nmatch = \"raw.dat\"\nname = \"fried.dat\"\n");
    CHECK(watch.gives("fried.dat", "raw"));
    std::filesystem::remove(watch.scratch.path("game/tools/common.toml"));
    CHECK(watch.reports("tools/common.toml"));
    watch.write("tools/common.toml", "[[rule]]\nmatch = \"raw.dat\"\nname = \"last.dat\"\n");
    CHECK(watch.gives("last.dat", "raw"));
    watch.end();
}

TEST_CASE("watch: a secret key that appears among the sources is refused, and the bundle stays as it was") {  // A151
    Watch watch;
    watch.start();
    CHECK(watch.gives("a.up", "FIRST"));
    std::filesystem::copy_file(make_key(watch.scratch, "author"), watch.scratch.path("game/assets/notes.dat"));
    CHECK(watch.reports("notes.dat"));
    CHECK(watch.reports("denied"));
    watch.write("assets/.env", "PASSWORD=secret");
    std::filesystem::remove(watch.scratch.path("game/assets/notes.dat"));
    CHECK(watch.reports(".env"));
    CHECK(run({"cat", watch.scratch.path("game/game.fardel"), "notes.dat"}).exit_code != 0);
    std::filesystem::remove(watch.scratch.path("game/assets/.env"));
    watch.write("assets/a.txt", "second");
    CHECK(watch.gives("a.up", "SECOND"));
    CHECK(run({"cat", watch.scratch.path("game/game.fardel"), ".env"}).exit_code != 0);
    watch.end();
}

TEST_CASE("watch: a program that fails is reported, and run again after its repair") {
    Watch watch("exit 3\n");
    watch.start();
    CHECK(watch.reports("ended with exit status 3"));
    CHECK_FALSE(std::filesystem::exists(watch.scratch.path("game/game.fardel")));
    watch.write_script("cat $1 > $2\n");
    CHECK(watch.gives("a.up", "first"));
    watch.write_script("exit 4\n");
    CHECK(watch.reports("ended with exit status 4"));
    watch.write_script("tr a-z A-Z < $1 > $2\n");
    CHECK(watch.gives("a.up", "FIRST"));
    watch.end();
}

TEST_CASE("watch: after a change while a job runs, the build begins again at once") {
    Watch watch("grep -q first $1 && sleep 100; tr a-z A-Z < $1 > $2\n");  // the first build does not end by itself
    watch.start();
    REQUIRE(watch.runs_a_job());
    watch.write("assets/a.txt", "second");
    CHECK(watch.gives("a.up", "SECOND"));
    const Outcome outcome = watch.end();
    CHECK(count(outcome.out, "packed ") == 1);
    CHECK(outcome.err.find("conflict") == std::string::npos);
}

// ---- Jobs that run while something is edited ------------------------------------------------------------------------

// The job 'bake' of a level logs when it begins and ends, and waits for a file "go". 'up' converts texts, and logs
// them.
class Bakery {
public:
    explicit Bakery(std::string_view baked = "*.map", const std::string& jobs = "2", const std::string& more = "") {
        write("fardel.toml", project(baked) + more);
        write("assets/level.map", "level ");
        write("assets/a.txt", "first");
        write("include/light.h", "bright");
        write_bake("");
        scratch.write_program("game/tools/up.sh",
                              "#!/bin/sh\ncp $1 $2\n(cat $1; echo) >> " + scratch.path("log") + "\n");
        watch_.emplace(Arguments{"watch", scratch.path("game"), "--level", "1", "--jobs", jobs});
        CHECK(logs("begin"));
    }
    ~Bakery() {
        write("../go", "");
        watch_->send(SIGINT);
        CHECK(watch_->wait().signal == SIGINT);
        CHECK_FALSE(std::filesystem::exists(scratch.path("game/.fardel/jobs")));
    }
    Bakery(const Bakery&) = delete;
    Bakery& operator=(const Bakery&) = delete;

    static std::string project(std::string_view baked = "*.map") {
        return "name = \"game\"\nsources = [\"assets\"]\nsandbox = \"off\"\n"
               "[processor.bake]\ncommand = [\"tools/bake.sh\", \"${in}\", \"${out}\", \"${depfile}\"]\n"
               "outputs = [\"{stem}.light\"]\ndepfile = true\n"
               "[processor.up]\ncommand = [\"tools/up.sh\", \"${in}\", \"${out}\"]\noutputs = [\"{stem}.up\"]\n"
               "[[rule]]\nmatch = \"" +
               std::string(baked) + "\"\nprocess = \"bake\"\n[[rule]]\nmatch = \"*.txt\"\nprocess = \"up\"\n";
    }
    void write_bake(std::string_view more) const {
        const std::string log = scratch.path("log");
        const std::string light = scratch.path("game/include/light.h");
        const std::string wait = "while [ ! -e " + scratch.path("go") + " ]; do sleep 0.02; done\n";
        scratch.write_program("game/tools/bake.sh", "#!/bin/sh -e\necho begin >> " + log + "\n" + wait + "cat $1 " +
                                                        light + " > $2\necho \"$2: " + light + "\" > $3\necho end >> " +
                                                        log + "\n" + std::string(more));
    }
    void write(const std::string& name, std::string_view text) const { scratch.write("game/" + name, text); }
    std::size_t count_logged(std::string_view line) const {
        return std::filesystem::exists(scratch.path("log")) ? count(scratch.read("log"), std::string(line) + "\n") : 0;
    }
    bool logs(std::string_view line, std::size_t times = 1) const {
        return wait_until([&] { return count_logged(line) >= times; });
    }
    bool reports(std::string_view text) const {
        return wait_until([&] { return watch_->errors().find(text) != std::string::npos; });
    }
    // Lets the jobs end, and waits until the bundle has that text.
    bool gives(std::string_view text, const std::string& name = "level.light") const {
        write("../go", "");
        return wait_until([&] {
            const Outcome outcome = run({"cat", scratch.path("game/game.fardel"), name});
            return outcome.exit_code == 0 && outcome.out == text;
        });
    }
    std::string errors() const { return watch_->errors(); }

    const ScratchFolder scratch;

private:
    std::optional<Running> watch_;
};

TEST_CASE("watch: a job whose inputs are not edited goes on, and runs once") {
    const Bakery bakery;
    // Each save begins a build, which converts the text beside the job that runs.
    for (const char* const text : {"second", "third", "fourth", "fifth"}) {
        bakery.write("assets/a.txt", text);
        REQUIRE(bakery.logs(text));
    }
    CHECK(bakery.count_logged("end") == 0);
    CHECK(bakery.gives("level bright"));
    CHECK(bakery.count_logged("begin") == 1);
    CHECK(bakery.count_logged("end") == 1);
    CHECK(bakery.errors().find("cancelled") == std::string::npos);
}

TEST_CASE("watch: a job that one of several targets needs goes on while the other targets are built") {
    const Bakery bakery("none", "2",
                        "[target.a]\nlang = [\"en\"]\n[target.b]\nlang = [\"en\"]\n[[rule]]\nmatch = \"*.map\"\n"
                        "process = \"bake\"\ntags = { lang = \"en\" }\ntargets = [\"b\"]\n");
    for (const char* const text : {"second", "third", "fourth"}) {
        bakery.write("assets/a.txt", text);
        REQUIRE(bakery.logs(text));
    }
    CHECK(bakery.count_logged("end") == 0);
    bakery.write("../go", "");
    CHECK(bakery.logs("end"));
    CHECK(bakery.count_logged("begin") == 1);
    CHECK(wait_until([&] { return std::filesystem::exists(bakery.scratch.path("game/game-b.fardel")); }));
}

TEST_CASE("watch: a job whose input is edited is ended, and runs again") {
    const Bakery bakery;
    bakery.write("assets/level.map", "edited ");
    CHECK(bakery.logs("begin", 2));
    bakery.write("assets/level.map", "once more ");
    CHECK(bakery.logs("begin", 3));
    CHECK(bakery.gives("once more bright"));
    CHECK(bakery.count_logged("begin") == 3);
    CHECK(bakery.count_logged("end") == 1);
}

TEST_CASE("watch: a job that has ended between two builds is not run again") {
    const Bakery bakery;
    bakery.write("fardel.toml", Bakery::project() + "nonsense = 1\n");
    REQUIRE(bakery.reports("there is no key 'nonsense'"));
    bakery.write("../go", "");
    REQUIRE(bakery.logs("end"));
    CHECK_FALSE(std::filesystem::exists(bakery.scratch.path("game/game.fardel")));
    bakery.write("fardel.toml", Bakery::project());
    CHECK(bakery.gives("level bright"));
    CHECK(bakery.count_logged("begin") == 1);
}

TEST_CASE("watch: a job that the project does not have any more is ended") {
    const Bakery bakery;
    bakery.write("fardel.toml", "name = \"game\"\nsources = [\"assets\"]\n");
    CHECK(wait_until([&] { return !std::filesystem::exists(bakery.scratch.path("game/.fardel/jobs")); }));
    bakery.write("fardel.toml", Bakery::project());
    CHECK(bakery.logs("begin", 2));
    CHECK(bakery.gives("level bright"));
    CHECK(bakery.count_logged("end") == 1);
}

TEST_CASE("watch: a job during which a file is edited that it found runs again") {
    const Bakery bakery;
    bakery.write("include/light.h", "dark");
    bakery.write("assets/a.txt", "second");  // the next build takes over a run whose result does not count
    REQUIRE(bakery.logs("second"));
    CHECK(bakery.gives("level dark"));
    CHECK(bakery.count_logged("begin") == 2);
    CHECK(bakery.errors().find("conflict") == std::string::npos);
}

TEST_CASE("watch: a job whose program is edited and put back while it runs, runs again") {
    const Bakery bakery;
    bakery.write_bake("echo other");
    bakery.write_bake("");
    CHECK(bakery.gives("level bright"));
    CHECK(bakery.count_logged("begin") == 2);
    CHECK(bakery.errors().find("conflict") == std::string::npos);
}

TEST_CASE("watch: a job does not keep the jobs that make its input anew from running") {
    const Bakery bakery("*.up", "1");
    bakery.write("assets/a.txt", "second ");
    REQUIRE(bakery.logs("second "));
    CHECK(bakery.gives("second bright", "a.light"));
}

TEST_CASE("watch: a failure of a job that was taken over is reported") {
    const Bakery bakery;
    bakery.write("assets/a.txt", "second");
    REQUIRE(bakery.logs("second"));
    std::filesystem::remove(bakery.scratch.path("game/include/light.h"));
    bakery.write("../go", "");
    CHECK(bakery.reports("No such file"));
    bakery.write("include/light.h", "repaired");
    bakery.write("assets/a.txt", "third");  // nobody watches what a failed job would have found
    CHECK(bakery.gives("level repaired"));
}

TEST_CASE("watch: Ctrl-C while a job runs ends both") {
    Watch watch("sleep 60; cp $1 $2\n");
    watch.start();
    REQUIRE(watch.runs_a_job());
    watch.end();
    CHECK_FALSE(std::filesystem::exists(watch.scratch.path("game/game.fardel")));
    watch.write_script("cp $1 $2\n");
    run_well({"build", watch.scratch.path("game")});
}

TEST_CASE("watch: a folder that does not exist is an error, as for build") {
    const ScratchFolder scratch;
    for (const char* verb : {"watch", "build"}) {
        const Outcome outcome = run({verb, scratch.path("nosuch")});
        CHECK(outcome.exit_code == 3);
        CHECK(outcome.err.find("nosuch") != std::string::npos);
        CHECK(outcome.err.find("[missing]") != std::string::npos);
    }
}

TEST_CASE("watch: --builds ends it after that number of builds") {
    Watch watch;
    const std::string out = run_well({"watch", watch.scratch.path("game"), "--builds", "1"});
    CHECK(out.find("packed ") != std::string::npos);
    CHECK(run({"watch", watch.scratch.path("game"), "--builds", "0"}).exit_code == 2);
}

}  // namespace fardel::tests::watch_test
