// Files that are not bundles, given to the verbs that read one.

#include "sample.h"

#include <sys/stat.h>
#include <unistd.h>

namespace fardel::tests::bad_input_test {

// Every verb that reads a bundle, given `file`.
std::vector<Arguments> readers_of(const ScratchFolder& scratch, const std::string& file) {
    return {
        {"id", file},
        {"ls", file},
        {"cat", file, "default.cfg"},
        {"extract", file, "-C", scratch.path("out")},
        {"sign", file, "--key", scratch.path("author.key"), "--role", "author"},
        {"which", "--mount", file, "default.cfg"},
    };
}

void check_refused(const ScratchFolder& scratch, const std::string& file, int exit_code, std::string_view code) {
    for (const Arguments& arguments : readers_of(scratch, file)) {
        if (arguments[0] == "which" && std::filesystem::is_directory(file))
            continue;  // folders can be mounted
        const Outcome outcome = run(arguments);
        CAPTURE(arguments[0]);
        CAPTURE(file);
        CAPTURE(outcome.err);
        CHECK(outcome.exit_code == exit_code);
        CHECK(is_one_clear_line(outcome, code));
    }
    CHECK_FALSE(std::filesystem::exists(scratch.path("out")));
}

// A20, A34
TEST_CASE("bad input: no bundle, an empty file, a folder, a device, a FIFO and a truncated bundle are refused") {
    const ScratchFolder scratch;
    make_key(scratch, "author");
    const std::string bundle = make_bundle(scratch);
    const std::string content = read_file(bundle);

    check_refused(scratch, scratch.path("absent.fardel"), 3, "missing");
    check_refused(scratch, scratch.write("empty.fardel", ""), 1, "malformed");
    check_refused(scratch, scratch.write("text.fardel", "not a bundle at all\n"), 1, "malformed");
    check_refused(scratch, scratch.write("noise.fardel", noise_text(100'000, 7)), 1, "malformed");
    check_refused(scratch, scratch.root().string(), 1, "malformed");
    check_refused(scratch, "/dev/zero", 1, "malformed");
    const std::string fifo = scratch.path("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    check_refused(scratch, fifo, 1, "malformed");
    for (const std::size_t size : {std::size_t{1}, std::size_t{4096}, std::size_t{8191}})
        check_refused(scratch, scratch.write("short.fardel", content.substr(0, size)), 1, "malformed");
}

TEST_CASE("bad input: verify reports a damaged bundle as BAD, and a file that cannot be opened as an error") {
    const ScratchFolder scratch;
    for (const std::string& file :
         {scratch.write("empty.fardel", ""), scratch.write("noise.fardel", noise_text(100'000, 7))}) {
        const Outcome outcome = run({"verify", file});
        CHECK(outcome.exit_code == 1);
        CHECK(outcome.out.find("BAD") != std::string::npos);
        CHECK(outcome.out.find("error: ") != std::string::npos);
    }
    CHECK(run({"verify", scratch.path("absent")}).exit_code == 3);
    CHECK(is_one_clear_line(run({"verify", scratch.path("absent")}), "missing"));
    CHECK(run({"verify", scratch.root()}).exit_code == 1);
    CHECK(run({"verify", "/dev/zero"}).exit_code == 1);
}

TEST_CASE("bad input: a truncated bundle is refused or found to be damaged, and none of its bytes is printed") {
    const ScratchFolder scratch;
    const std::string content = read_file(make_bundle(scratch));
    for (std::size_t size = 0; size < content.size(); size += content.size() / 23) {
        const std::string cut = scratch.write("cut.fardel", content.substr(0, size));
        CAPTURE(size);
        const Outcome cat = run({"cat", cut, "maps/dm01.bsp"});
        CHECK(cat.exit_code == 1);
        CHECK(cat.out == "");
        CHECK(run({"verify", cut}).exit_code == 1);
    }
}

// A21
TEST_CASE_FIXTURE(PackedGame, "bad input: cat and extract report a damaged block as corrupt, and leave no file") {
    const std::string content = read_file(bundle);
    const std::string map = noise_text(300'000, 1);
    const auto at = content.find(map.substr(100'000, 64));
    REQUIRE(at != std::string::npos);
    flip_bit(bundle, at);

    const Outcome cat = run({"cat", bundle, "maps/dm01.bsp"});
    CHECK(cat.exit_code == 1);
    CHECK(is_one_clear_line(cat, "corrupt"));
    CHECK(run_well({"cat", bundle, "default.cfg"}) == kConfig);

    const Outcome extract = run({"extract", bundle, "-C", scratch.path("out")});
    CHECK(extract.exit_code == 1);
    CHECK(is_one_clear_line(extract, "corrupt"));
    CHECK_FALSE(std::filesystem::exists(scratch.path("out")));
    std::filesystem::create_directory(scratch.path("there"));
    CHECK(run({"extract", bundle, "-C", scratch.path("there")}).exit_code == 1);
    CHECK(list_folder(scratch.path("there")) == "");

    const Outcome verify = run({"verify", bundle});
    CHECK(verify.exit_code == 1);
    CHECK(verify.out.find("maps/dm01.bsp") != std::string::npos);
}

TEST_CASE("bad input: a file that may not be read is denied") {
    if (::getuid() != 0)
        return;  // only root can run programs as another user
    const ScratchFolder scratch;
    const std::string bundle = make_bundle(scratch);
    std::filesystem::permissions(scratch.root(), std::filesystem::perms::all);
    std::filesystem::permissions(bundle, std::filesystem::perms::none);
    const Surroundings other_user{.user = 65534};
    if (run({"--version"}, other_user).exit_code != 0) {
        MESSAGE("the program is where others may not run it");
        return;
    }
    for (const Arguments& arguments : {Arguments{"id", bundle}, Arguments{"verify", bundle}}) {
        const Outcome outcome = run(arguments, other_user);
        CHECK(outcome.exit_code == 3);
        CHECK(is_one_clear_line(outcome, "denied"));
    }
    const std::string locked = scratch.path("locked");
    std::filesystem::create_directory(locked);
    std::filesystem::permissions(bundle, std::filesystem::perms::all);
    const Outcome pack = run({"pack", scratch.path("game"), "-o", locked + "/x.fardel"}, other_user);
    CHECK(pack.exit_code == 3);
    CHECK(is_one_clear_line(pack, "denied"));
    const Outcome extract = run({"extract", bundle, "-C", locked}, other_user);
    CHECK(extract.exit_code == 3);
    CHECK(is_one_clear_line(extract, "denied"));
}

}  // namespace fardel::tests::bad_input_test
