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
