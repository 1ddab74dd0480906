// Which jobs run at the same time: at_once and memory_bytes of processors, through the program.
#include "built_game.h"

#include <algorithm>
#include <sstream>

namespace fardel::tests::job_schedule_test {

// A job that has begun, and how many ran then: of its kind, and in all.
struct Begun {
    std::string kind;
    int of_kind = 0;
    int all = 0;
};

// Sources are small or large, by their extensions; the jobs of each kind have a processor, and log when they begin.
class Workshop {
public:
    // Keys of the two processors.
    Workshop(std::string_view small, std::string_view large) : game(project(small, large)) {
        fs::create_directories(game.path("running"));
        game.write_program("tools/log.sh", "#!/bin/sh\nin=$PWD/$1 out=$PWD/$2 kind=${1##*.}\ncd '" + game.path("") +
                                               "'\nmkdir running/$kind.$$\necho $kind $(ls running | grep -c ^$kind) "
                                               "$(ls running | wc -l) >> log\nsleep 0.3\nrmdir running/$kind.$$\n"
                                               "cp $in $out\n");
    }

    // Their jobs have the order of their names.
    void write_source(const std::string& name) const { game.write("assets/" + name, name); }
    std::vector<Begun> build(const Arguments& more = {}) const {
        game.write("log", "");
        Arguments words{"--jobs", "4", "--anew"};
        words.insert(words.end(), more.begin(), more.end());
        game.build(words);
        std::vector<Begun> jobs;
        std::istringstream log(game.read("log"));
        for (Begun job; log >> job.kind >> job.of_kind >> job.all;)
            jobs.push_back(job);
        return jobs;
    }
    // Returns the highest number that jobs of the kind have logged.
    static int most(const std::vector<Begun>& jobs, std::string_view kind, int Begun::*number) {
        int most = 0;
        for (const Begun& job : jobs)
            if (job.kind == kind)
                most = std::max(most, job.*number);
        return most;
    }

    const BuiltGame game;

private:
    static std::string project(std::string_view small, std::string_view large) {
        const std::string command =
            "command = [\"tools/log.sh\", \"${in}\", \"${out}\"]\noutputs = [\"{name}.made\"]\n";
        return "name = \"game\"\nsources = [\"assets\"]\nsandbox = \"off\"\n[processor.s]\n" + command +
               std::string(small) + "\n[processor.l]\n" + command + std::string(large) +
               "\n[[rule]]\nmatch = \"*.small\"\nprocess = \"s\"\n[[rule]]\nmatch = \"*.large\"\nprocess = \"l\"\n";
    }
};

TEST_CASE("job schedule: at_once bounds the jobs of one processor, and others run beside them") {
    const Workshop workshop("", "at_once = 1");
    for (int i = 0; i < 6; ++i) {
        workshop.write_source(std::to_string(i) + ".large");
        workshop.write_source(std::to_string(i) + ".small");
    }
    const auto jobs = workshop.build();
    CHECK(jobs.size() == 12);
    CHECK(Workshop::most(jobs, "large", &Begun::of_kind) == 1);
    CHECK(Workshop::most(jobs, "small", &Begun::of_kind) >= 2);
    CHECK(Workshop::most(jobs, "large", &Begun::all) >= 2);
}

TEST_CASE("job schedule: jobs run at the same time while their memory fits into the limit") {
    const Workshop workshop("memory_bytes = 4_000_000_000", "");
    for (int i = 0; i < 8; ++i)
        workshop.write_source(std::to_string(i) + ".small");
    CHECK(Workshop::most(workshop.build({"--memory", "9G"}), "small", &Begun::all) == 2);
    CHECK(Workshop::most(workshop.build({"--memory", "900G"}), "small", &Begun::all) >= 3);
}

TEST_CASE("job schedule: a job that is larger than everything runs alone") {
    const Workshop workshop("", "memory_bytes = 4_000_000_000");
    for (int i = 0; i < 4; ++i) {
        workshop.write_source(std::to_string(i) + ".large");
        workshop.write_source(std::to_string(i) + ".small");
    }
    const auto jobs = workshop.build({"--memory", "1000"});
    CHECK(jobs.size() == 8);
    CHECK(Workshop::most(jobs, "large", &Begun::all) == 1);
}

TEST_CASE("job schedule: a large job gets its turn although small ones would always fit") {
    const Workshop workshop("memory_bytes = 3_000", "memory_bytes = 8_000");
    for (int i = 10; i < 40; ++i)
        workshop.write_source(std::to_string(i) + (i == 16 ? ".large" : ".small"));
    const auto jobs = workshop.build({"--memory", "10000"});
    REQUIRE(jobs.size() == 30);
    const auto large = std::ranges::find(jobs, "large", &Begun::kind);
    CHECK(large - jobs.begin() < 12);
    CHECK(large->all == 1);
}

TEST_CASE("job schedule: neither the bundle nor the keys depend on it") {
    const Workshop workshop("", "");
    workshop.write_source("a.small");
    workshop.write_source("b.large");
    workshop.build();
    const std::string bundle = workshop.game.bundle();
    workshop.game.replace("fardel.toml", "[processor.l]\n", "[processor.l]\nat_once = 1\nmemory_bytes = 5\n");
    CHECK(workshop.game.build({"--memory", "1"})["jobs_run"] == 0);
    CHECK(workshop.game.bundle() == bundle);
}

}  // namespace fardel::tests::job_schedule_test
