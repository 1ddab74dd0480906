// Traces from a shell: recorded through FUSE, shown, merged, used as the order of a bundle, published.
#include "sample.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

namespace fardel::tests::trace_test {

using nlohmann::json;

std::vector<std::string> traced_names(const std::string& trace) {
    std::vector<std::string> names;
    const json shown = json::parse(run_well({"trace", "show", trace, "--json"}));
    for (const json& asset : shown["assets"])
        names.push_back(asset["name"]);
    return names;
}

// The trace of a program that reads the bundle's files.
std::string record_reading(const ScratchFolder& scratch, const std::string& bundle) {
    const std::string trace = scratch.path("level.trace");
    fs::create_directories(scratch.path("mnt"));
    run_well({"trace", "record", "-o", trace, bundle, scratch.path("mnt"), "--", "sh", "-c",
              "cd \"$0\" && cat maps/dm01.bsp default.cfg maps/dm01.bsp textures/base/wasser.jpg > \"$1\"",
              scratch.path("mnt"), scratch.path("read")});
    return trace;
}

void drop_from_memory(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    ::fsync(file);
    CHECK(::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0);
    ::close(file);
}

// How many pages of the file the system has in memory.
std::size_t pages_in_memory(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    const std::size_t bytes = fs::file_size(path);
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    REQUIRE(mapped != MAP_FAILED);
    std::vector<unsigned char> pages(bytes / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + 1);
    CHECK(::mincore(mapped, bytes, pages.data()) == 0);
    ::munmap(mapped, bytes);
    return static_cast<std::size_t>(std::ranges::count_if(pages, [](unsigned char page) { return (page & 1) != 0; }));
}

std::string layout_of(const std::string& bundle) { return json::parse(facts_of(bundle))["layout"]; }
std::string bundle_of(const std::string& bundle) { return json::parse(facts_of(bundle))["bundle"]; }

TEST_CASE_FIXTURE(PackedGame, "trace record: what a program opens through FUSE, once each, in order") {
    const std::string trace = record_reading(scratch, bundle);
    CHECK(traced_names(trace) == std::vector<std::string>{"maps/dm01.bsp", "default.cfg", "textures/base/wasser.jpg"});
    CHECK(fs::is_empty(scratch.path("mnt")));
    CHECK(fs::file_size(scratch.path("read")) > 600'000);
    const json shown = json::parse(run_well({"trace", "show", trace, "--json"}));
    CHECK(shown["bundles"].size() == 1);
    CHECK(shown["bundles"][0]["bundle"] == bundle_of(bundle));
    CHECK(shown["bundles"][0]["assets"] == 3);
    CHECK(shown["assets"][0]["bytes"] == 300'000);
    CHECK(run_well({"trace", "show", trace}).find("3 assets") != std::string::npos);
    CHECK(run_well({"trace", "show", trace, "--assets"}).find("default.cfg") != std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame, "trace: a mount reads ahead along a trace") {
    const std::string trace = record_reading(scratch, bundle);
    const Outcome refused = run_program({FARDEL_PROGRAM, "mount", bundle, scratch.path("mnt"), "--read-ahead", bundle});
    CHECK(refused.exit_code != 0);
    CHECK(refused.err.find("trace") != std::string::npos);
    drop_from_memory(bundle);
    if (pages_in_memory(bundle) != 0) {
        MESSAGE("SKIPPED: this file system does not drop a file from memory");
        return;
    }
    run_well({"mount", bundle, scratch.path("mnt"), "--read-ahead", trace});
    constexpr std::size_t kWanted = 300'000 / 4096;  // the level's pages
    wait_until([&] { return pages_in_memory(bundle) >= kWanted; });
    CHECK(pages_in_memory(bundle) >= kWanted);
    run_well({"mount", "--unmount", scratch.path("mnt")});
}

TEST_CASE_FIXTURE(PackedGame, "trace record: if the program fails, the trace is written, and the exit status says so") {
    const std::string mnt = scratch.path("mnt");
    const std::string trace = scratch.path("trace");
    fs::create_directories(mnt);
    const auto failed =
        run({"trace", "record", "-o", trace, bundle, mnt, "--", "sh", "-c", "cat \"$0/default.cfg\"; exit 3", mnt});
    CHECK(failed.exit_code == 1);
    CHECK(failed.out.find("volume") != std::string::npos);
    CHECK(failed.err.find("ended with status 3") != std::string::npos);
    CHECK(traced_names(trace) == std::vector<std::string>{"default.cfg"});
    CHECK(run({"trace", "record", "-o", trace, bundle, mnt, "--", "/none"}).exit_code != 0);
    CHECK(fs::is_empty(mnt));
    CHECK(run({"trace", "record", "-o", trace, bundle, mnt}).exit_code == 2);
    CHECK(run({"trace", "record", "-o", trace, bundle, "--", "true"}).exit_code == 2);
}

TEST_CASE_FIXTURE(PackedGame, "mount --trace: what was opened is written when the folder is unmounted") {
    const std::string mnt = scratch.path("mnt");
    const std::string trace = scratch.path("trace");
    fs::create_directories(mnt);
    run_well({"mount", bundle, mnt, "--trace", trace});
    CHECK(read_file(mnt + "/default.cfg") == kConfig);
    run_well({"mount", "--unmount", mnt});
    wait_until([&] { return fs::exists(trace); });
    CHECK(traced_names(trace) == std::vector<std::string>{"default.cfg"});
    CHECK(run({"mount", bundle, mnt, "--trace", trace}).exit_code == 1);  // it is there
}

TEST_CASE("trace merge: traces are joined by time") {
    const ScratchFolder scratch;
    const std::string id(64, '1');
    const auto line = [](int milliseconds, char digit, const std::string& name) {
        return std::to_string(milliseconds) + " 1 " + std::string(64, digit) + " " + name + "\n";
    };
    const std::string head = "fardel-trace 1\nbundle " + id + "\n";
    write_file(scratch.path("1"), head + line(0, 'a', "a") + line(9, 'b', "b"));
    write_file(scratch.path("2"), head + line(5, 'c', "c") + line(9, 'a', "a"));
    run_well({"trace", "merge", scratch.path("1"), scratch.path("2"), "-o", scratch.path("both")});
    CHECK(read_file(scratch.path("both")) == head + line(0, 'a', "a") + line(5, 'c', "c") + line(9, 'b', "b"));
    write_file(scratch.path("3"), "nothing\n");
    const auto refused = run({"trace", "show", scratch.path("3")});
    CHECK(refused.exit_code == 1);
    CHECK(refused.err.find("not a trace of version 1") != std::string::npos);
}

TEST_CASE_FIXTURE(PackedGame, "pack --order: another layout of the same bundle, with what is traced at the front") {
    const std::string trace = record_reading(scratch, bundle);
    const auto pack = [&](const std::string& out, std::vector<std::string> words) {
        words.insert(words.begin(),
                     {"pack", scratch.path("game"), "-o", scratch.path(out), "--name", "game", "--version", "1.0"});
        run_well(words);
        return scratch.path(out);
    };
    const std::string ordered = pack("ordered.fardel", {"--order", trace});
    CHECK(bundle_of(ordered) == bundle_of(bundle));
    CHECK(layout_of(ordered) != layout_of(bundle));
    CHECK(read_file(pack("again.fardel", {"--order", trace, "--jobs", "1"})) == read_file(ordered));
    CHECK(read_file(pack("plain.fardel", {})) == read_file(bundle));
    run_well({"verify", ordered});
    CHECK(run({"pack", scratch.path("game"), "-o", scratch.path("x"), "--order", scratch.path("none")}).exit_code == 3);
}

TEST_CASE_FIXTURE(
    GameFolder,
    "build: 'order' of the project, or --order, is the order of the bundle, and a new trace builds it again") {
    const std::string project = scratch.path("project");
    fs::create_directories(project);
    const auto build = [&](std::vector<std::string> words = {}) {
        words.insert(words.begin(), {"build", project});
        run_well(words);
        return layout_of(project + "/game.fardel");
    };
    write_file(project + "/fardel.toml", "name = \"game\"\nsources = [\"" + game + "\"]\n");
    const std::string plain = build();
    const std::string trace = record_reading(scratch, project + "/game.fardel");
    const std::string ordered = build({"--order", trace});
    CHECK(ordered != plain);
    CHECK(build() == plain);
    fs::copy_file(trace, project + "/game.trace");
    write_file(project + "/fardel.toml", "name = \"game\"\norder = \"game.trace\"\nsources = [\"" + game + "\"]\n");
    CHECK(build() == ordered);
    CHECK(run_well({"build", project}).find("up to date") != std::string::npos);
    write_file(project + "/game.trace", "fardel-trace 1\n");
    CHECK(build() == plain);
}

TEST_CASE_FIXTURE(
    PackedGame,
    "publish --trace: the trace of a bundle lies beside it, without names, also one that another recorded") {
    const std::string trace = record_reading(scratch, bundle);
    write_file(scratch.path("game/default.cfg"), "changed");
    run_well({"pack", scratch.path("game"), "-o", scratch.path("new.fardel"), "--name", "game", "--version", "1.1"});
    const std::string next = scratch.path("new.fardel");
    const std::string tree = scratch.path("tree");
    const json published = json::parse(run_well({"publish", bundle, next, tree, "--trace", trace, "--json"}));
    CHECK(published["published"][0]["traced_assets"] == 3);
    CHECK(published["published"][1]["traced_assets"] == 3);
    const std::string beside = tree + "/bundles/" + bundle_of(next) + ".trace";
    CHECK(traced_names(beside) == std::vector<std::string>{"", "", ""});
    const json shown = json::parse(run_well({"trace", "show", beside, "--json"}));
    CHECK(shown["assets"][1]["bytes"] == 7);  // the changed file, by its name
    write_file(scratch.path("other"), "fardel-trace 1\n");
    const auto useless = run({"publish", bundle, tree, "--trace", scratch.path("other")});
    CHECK(useless.exit_code == 0);
    CHECK(useless.err.find("lists nothing of these bundles") != std::string::npos);
    CHECK(fs::exists(beside));
}

}  // namespace fardel::tests::trace_test
