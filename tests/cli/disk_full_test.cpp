// A disk that is really full: a small tmpfs, if this user may mount one.

#include "kit/disks.h"
#include "sample.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <csignal>

namespace fardel::tests::disk_full_test {

using nlohmann::json;

TEST_CASE_FIXTURE(GameFolder,
                  "a full disk: pack and extract report it and leave no files; sign leaves the bundle unchanged") {
    const std::string bundle = scratch.path("game.fardel");
    run_well({"pack", game, "-o", bundle});
    const SmallDisk disk(scratch, "128k");
    if (disk.is_missing())
        return;
    const Outcome pack = run({"pack", game, "-o", disk.root() + "/x.fardel"});
    CHECK(pack.exit_code == 3);
    CHECK(is_one_clear_line(pack, "no_space"));
    CHECK(list_folder(disk.root()) == "");

    const Outcome extract = run({"extract", bundle, "-C", disk.root() + "/out"});
    CHECK(extract.exit_code == 3);
    CHECK(is_one_clear_line(extract, "no_space"));
    CHECK(extract.err.find(" bytes, and the disk has ") != std::string::npos);  // A130: before the first byte
    CHECK(list_folder(disk.root()) == "");

    scratch.write("tiny/a.txt", "a");
    const std::string tiny = disk.root() + "/tiny.fardel";
    run_well({"pack", scratch.path("tiny"), "-o", tiny});
    const std::string key = make_key(scratch, "author");
    std::string filler(4096, 'x');
    const std::string before = read_file(tiny);
    for (int i = 0;
         run_program({"dd", "if=/dev/zero", "of=" + disk.root() + "/filler" + std::to_string(i), "bs=4096", "count=1"})
             .exit_code == 0;
         ++i) {
    }
    const Outcome sign = run({"sign", tiny, "--key", key, "--role", "author"});
    if (sign.exit_code != 0) {  // unless its last page has free space
        CHECK(sign.exit_code == 3);
        CHECK(is_one_clear_line(sign, "no_space"));
        CHECK(read_file(tiny) == before);
    }
    const Outcome keygen = run({"keygen", "-o", disk.root() + "/new.key", "--no-passphrase"});
    CHECK(keygen.exit_code == 3);
    CHECK(is_one_clear_line(keygen, "no_space"));
    CHECK_FALSE(fs::exists(disk.root() + "/new.key"));
    CHECK_FALSE(fs::exists(disk.root() + "/new.key.pub"));
}

TEST_CASE("a full disk: a delta whose result has no room is refused before the first byte") {  // A143
    const ScratchFolder scratch;
    scratch.write("old/a.bin", noise_text(300'000, 1));
    scratch.write("new/a.bin", noise_text(300'000, 1));
    scratch.write("new/b.txt", "one more");
    const std::string old_bundle = scratch.path("old.fardel");
    const std::string new_bundle = scratch.path("new.fardel");
    run_well({"pack", scratch.path("old"), "-o", old_bundle});
    run_well({"pack", scratch.path("new"), "-o", new_bundle});
    run_well({"delta", old_bundle, new_bundle, "-o", scratch.path("delta")});
    const SmallDisk disk(scratch, "256k");
    if (disk.is_missing())
        return;
    const Outcome applied = run({"delta", old_bundle, "--apply", scratch.path("delta"), "-o", disk.path("out.fardel")});
    CHECK(applied.exit_code == 3);
    CHECK(is_one_clear_line(applied, "no_space"));
    check_has(applied.err, "applying to ");
    CHECK(list_folder(disk.root()) == "");
}

TEST_CASE("a full disk: store rm, store gc and cache trim make room on it, with one bundle or with several") {
    for (const unsigned bundles : {1u, 3u}) {
        CAPTURE(bundles);
        const ScratchFolder scratch;
        const SmallDisk disk(scratch, "8m");
        if (disk.is_missing())
            return;
        const std::string store = disk.path("store");
        const std::string cache = disk.path("cache");
        std::vector<std::string> ids;
        for (unsigned i = 0; i < bundles; ++i) {
            const std::string name = "b" + std::to_string(i);
            scratch.write(name + "/a.bin", noise_text(600'000, i + 1));
            run_well({"pack", scratch.path(name), "-o", scratch.path(name + ".fardel"), "--name", name});
            run_well({"store", "add", scratch.path(name + ".fardel"), "--store", store});
            ids.push_back(run_well({"id", scratch.path(name + ".fardel")}).substr(0, 64));
        }
        scratch.write("p/assets/a.bin", noise_text(400'000, 9));
        scratch.write("p/fardel.toml",
                      "name = \"p\"\noutput = \"p.fardel\"\nsources = [\"assets\"]\n[[rule]]\nmatch = "
                      "\"*.bin\"\nprocess = \"copy\"\n[processor.copy]\nbuiltin = \"copy\"\n[[cache]]\n"
                      "folder = \"" +
                          cache + "\"\n");
        run_well({"cache", "init", cache});
        run_well({"build", scratch.path("p"), "--jobs", "1"});
        REQUIRE(run_program({"find", cache, "-type", "f", "-exec", "touch", "-d", "3 days ago", "{}", "+"}).exit_code ==
                0);
        disk.fill();
        REQUIRE(fs::space(disk.root()).available < 4096);
        check_has(run_well({"store", "rm", ids[0], "--store", store}), "1 bundle will be removed");
        check_has(run_well({"store", "gc", "--grace", "0", "--store", store}), "removed 1 bundle");
        CHECK(fs::space(disk.root()).available > 500'000);
        const json left = json::parse(run_well({"store", "ls", "--json", "--store", store}));
        CHECK(left["bundles"].size() == bundles - 1);
        CHECK(run({"store", "fsck", "--store", store}).exit_code == 0);
        disk.fill();
        const std::uintmax_t before = fs::space(disk.root()).available;
        run_well({"cache", "trim", cache, "--size", "0"});
        CHECK(fs::space(disk.root()).available > before + 300'000);
    }
}

// A102: the sources, the build database and the bundle are on one disk, with every amount of free space.
TEST_CASE(
    "a full disk: a build ends well, or says so and leaves the bundle as it was; with room it is what a clean build "
    "writes") {
    const ScratchFolder scratch;
    const SmallDisk disk(scratch, "1m");
    if (disk.is_missing())
        return;
    const std::string project = disk.root() + "/project";
    const std::string bundle = project + "/out.fardel";
    const auto write = [&](const std::string& folder, unsigned version) {
        fs::create_directories(folder + "/assets");
        std::ofstream(folder + "/fardel.toml")
            << "name = \"disk\"\noutput = \"out.fardel\"\nsources = [\"assets\"]\n[[rule]]\nmatch = \"*.bin\"\nprocess "
               "= \"copy\"\n[processor.copy]\nbuiltin = \"copy\"\n";
        for (unsigned file = 0; file < 4; ++file) {
            std::mt19937 random(10 * version + file);
            std::string bytes(20'000, ' ');
            std::ranges::generate(bytes, [&] { return static_cast<char>(random()); });
            std::ofstream(folder + "/assets/" + std::to_string(file) + ".bin", std::ios::binary) << bytes;
        }
    };
    const auto build = [](const std::string& folder) { return run({"build", folder, "--jobs", "1"}); };
    write(scratch.path("clean"), 2);
    REQUIRE(build(scratch.path("clean")).exit_code == 0);
    const std::string wanted = read_file(scratch.path("clean/out.fardel"));

    std::size_t refused = 0, done = 0;
    for (std::uintmax_t room = 0; done < 3 && room < 800'000; room += 16'384) {
        CAPTURE(room);
        for (const auto& entry : fs::directory_iterator(disk.root()))
            fs::remove_all(entry.path());
        write(project, 1);
        REQUIRE(build(project).exit_code == 0);
        const std::string before = read_file(bundle);
        write(project, 2);  // as large as before
        const std::string filler = disk.root() + "/filler";
        const std::uintmax_t free = fs::space(disk.root()).available;
        if (free > room)
            REQUIRE(run_program({"fallocate", "-l", std::to_string(free - room), filler}).exit_code == 0);
        const Outcome outcome = build(project);
        const std::string now = read_file(bundle);
        if (outcome.exit_code == 0) {
            ++done;
            CHECK(now == wanted);
        } else {
            ++refused;
            CHECK(outcome.exit_code == 3);
            CAPTURE(outcome.err);
            CHECK(is_one_clear_line(outcome, "no_space"));
            CHECK((now == before || now == wanted));
        }
        CHECK(std::ranges::count_if(fs::directory_iterator(project),
                                    [](const auto& entry) { return entry.is_regular_file(); }) == 2);
        fs::remove(filler);
        CHECK(build(project).exit_code == 0);
        CHECK(read_file(bundle) == wanted);
    }
    CHECK(refused > 0);
    CHECK(done == 3);
}

}  // namespace fardel::tests::disk_full_test
