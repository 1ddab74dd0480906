// Stores, caches and trees that a group shares: two accounts, and root with another umask in between.
#include "sample.h"

#include "kit/serve_program.h"

#include <sys/stat.h>
#include <unistd.h>

namespace fardel::tests::shared_group_test {

constexpr unsigned kAnn = 41001, kBob = 41002, kEve = 41003, kGamers = 41000;

struct Group {
    // Another account needs the paths above, and root to become it.
    bool is_missing() const {
        if (::geteuid() == 0 && run_program({"setpriv", "--version"}).exit_code == 0)
            return false;
        MESSAGE("SKIPPED: no permission to work as another user");
        return true;
    }
    Group() { fs::permissions(scratch.root(), fs::perms(0755)); }

    // `line`: for a shell, with fardel's words.
    Outcome as(unsigned user, const std::string& umask, const std::string& line) const {
        const std::string groups = user == kEve ? std::to_string(kEve) : std::to_string(kGamers);
        return run_program({"setpriv", "--reuid=" + std::to_string(user), "--regid=" + std::to_string(user),
                            "--groups=" + groups, "sh", "-c",
                            "umask " + umask + "; export HOME=/nonexistent XDG_STATE_HOME=/tmp; " + line});
    }
    static std::string fardel(const std::string& words) { return "'" FARDEL_PROGRAM "' " + words; }
    std::string folder(const std::string& name) const {
        const std::string path = scratch.path(name);
        fs::create_directory(path);
        REQUIRE(::chown(path.c_str(), kAnn, kGamers) == 0);
        return path;
    }
    std::string bundle(const std::string& version, unsigned seed) const {
        scratch.write("c" + version + "/a.bin", noise_text(300'000, seed));
        const std::string file = scratch.path(version + ".fardel");
        run_well({"pack", scratch.path("c" + version), "-o", file, "--name", "game", "--version", version});
        fs::permissions(file, fs::perms(0644));
        return file;
    }
    static unsigned mode_of(const fs::path& path) {
        struct stat status {};
        REQUIRE(::lstat(path.c_str(), &status) == 0);
        return status.st_mode & 07777;
    }
    // What one of the group could not use or remove.
    static std::vector<std::string> closed_below(const std::string& root) {
        std::vector<std::string> closed;
        for (const fs::path& path : paths_below(root)) {
            const unsigned mode = mode_of(path);
            if (fs::is_directory(path) ? (mode & 0070) != 0070 : (mode & 0040) == 0)
                closed.push_back(path.string());
            CHECK((mode & 0002) == 0);  // nobody gets the right to write for everybody
        }
        return closed;
    }

    const ScratchFolder scratch;
};

void check_good(const Outcome& outcome) {
    CAPTURE(outcome.err);
    CHECK(outcome.exit_code == 0);
}

TEST_CASE_FIXTURE(Group, "a store of a group: each adds, pins, fetches, removes and collects, with any umask") {
    if (is_missing())
        return;
    const std::string one = bundle("1", 1), two = bundle("2", 2), three = bundle("3", 3);
    const std::string id = run_well({"id", one}).substr(0, 64), other = run_well({"id", three}).substr(0, 64);
    for (const char* const umask : {"002", "022", "077"}) {
        CAPTURE(umask);
        const std::string store = folder("store" + std::string(umask));
        const std::string at = " --store " + store;
        check_good(as(kAnn, umask, fardel("store add --shared " + one + at)));
        // As with sudo.
        check_good(run_shell("umask 077; " + fardel("store pin " + id + " --name sudo" + at + " > /dev/null")));
        check_good(run_shell("umask 022; " + fardel("store add " + two + at)));
        CHECK(closed_below(store) == std::vector<std::string>());
        check_good(as(kBob, umask, fardel("store pin " + id + " --name bob" + at)));
        check_good(as(kBob, umask, fardel("store add " + three + at)));
        check_good(as(kAnn, umask, fardel("store pin " + other + " --name ann" + at)));
        check_good(as(kAnn, umask, fardel("store unpin " + other + " --name ann" + at)));
        check_good(as(kAnn, umask, fardel("store rm " + other + at)));
        check_good(as(kBob, umask, fardel("store gc --grace 0" + at)));
        check_good(as(kBob, umask, fardel("store fsck" + at)));
        check_good(as(kBob, umask, fardel("links " + id + at + " > /dev/null")));
        CHECK(closed_below(store) == std::vector<std::string>());
        // Who is not one of them reads, and writes nothing.
        CHECK(as(kEve, umask, fardel("store pin " + id + at)).exit_code == 3);
        CHECK(as(kEve, umask, fardel("store gc" + at)).exit_code == 3);
    }
}

TEST_CASE_FIXTURE(Group,
                  "a store of a group: what one was fetching when it was interrupted, another one goes on with") {
    if (is_missing())
        return;
    const std::string file = bundle("1", 1);
    const std::string id = run_well({"id", file}).substr(0, 64);
    run_well({"publish", file, scratch.path("tree")});
    const ServeProgram server({scratch.path("tree")});
    const std::string store = folder("store");
    check_good(as(kAnn, "002", fardel("store add --shared --store " + store)));
    const std::string fetch = fardel("fetch " + server.url() + " " + id + " --yes --store " + store);
    const Outcome cut = run_shell("umask 022; timeout -s INT 1 " + fetch + " --rate 20K");
    CHECK(cut.exit_code != 0);
    CHECK_FALSE(paths_below(store + "/incoming").empty());
    CHECK(closed_below(store) == std::vector<std::string>());
    check_good(as(kBob, "077", fetch));
    check_good(as(kAnn, "022", fardel("store fsck --store " + store)));
}

TEST_CASE_FIXTURE(Group, "a tree and a cache of a group: each publishes and builds into them, with any umask") {
    if (is_missing())
        return;
    const std::string tree = folder("tree"), cache = folder("cache");
    const std::string one = bundle("1", 1), two = bundle("2", 2), three = bundle("3", 3);
    check_good(as(kAnn, "077", fardel("publish --shared " + one + " " + tree)));
    check_good(as(kBob, "022", fardel("publish " + two + " " + tree)));
    check_good(as(kAnn, "002", fardel("publish " + three + " " + tree)));
    CHECK(closed_below(tree) == std::vector<std::string>());
    check_good(as(kAnn, "022", fardel("cache init --shared " + cache)));
    for (const auto& [user, umask] : {std::pair(kAnn, "077"), std::pair(kBob, "022")}) {
        const std::string project = folder("project" + std::to_string(user));
        scratch.write("project" + std::to_string(user) + "/assets/a.bin", noise_text(1000, user));
        scratch.write("project" + std::to_string(user) + "/fardel.toml",
                      "name = \"p\"\noutput = \"p.fardel\"\nsources = [\"assets\"]\n[[rule]]\nmatch = \"*.bin\"\n"
                      "process = \"copy\"\n[processor.copy]\nbuiltin = \"copy\"\n[[cache]]\nfolder = \"" +
                          cache + "\"\n");
        REQUIRE(run_program({"chown", "-R", std::to_string(user), project}).exit_code == 0);
        check_good(as(user, umask, fardel("build " + project)));
    }
    CHECK(closed_below(cache) == std::vector<std::string>());
    check_good(as(kBob, "022", fardel("cache trim " + cache + " --size 0")));
}

TEST_CASE_FIXTURE(
    Group, "a folder that nobody shares, or that everybody may write to, gives nobody more than before") {  // A148
    if (is_missing())
        return;
    const std::string one = bundle("1", 1);
    const std::string own = folder("own");
    check_good(as(kAnn, "077", fardel("store add " + one + " --store " + own)));
    for (const fs::path& path : paths_below(own))
        CHECK((mode_of(path) & 0022) == 0);
    const std::string open = folder("open");
    REQUIRE(::chmod(open.c_str(), 01777) == 0);  // as /tmp
    check_good(as(kAnn, "022", fardel("store add " + one + " --store " + open)));
    for (const fs::path& path : paths_below(open))
        if (path.parent_path() != open)
            CHECK((mode_of(path) & 0002) == 0);
}

TEST_CASE_FIXTURE(Group, "a store that a user may only read gives what is there, and asks for no writing") {
    if (is_missing())
        return;
    const std::string one = bundle("1", 1);
    const std::string id = run_well({"id", one}).substr(0, 64);
    const std::string store = scratch.path("store");
    check_good(run_shell("umask 022; " + fardel("store add " + one + " --store " + store)));
    const std::string at = " --store " + store;
    const std::string out = folder("out");
    REQUIRE(::chmod(out.c_str(), 01777) == 0);
    for (const std::string& words : {"store ls" + at, "store stats" + at, "store pin" + at, "store fsck" + at,
                                     "links " + id + at, "store export " + id + " -o " + out + "/x.fardel" + at}) {
        CAPTURE(words);
        check_good(as(kEve, "022", fardel(words) + " > /dev/null"));
    }
}

}  // namespace fardel::tests::shared_group_test
