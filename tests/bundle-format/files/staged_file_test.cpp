#include <fardel/format/staged_file.h>

#include "kit/bytes.h"
#include "kit/files.h"
#include "kit/restricted_program.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <iterator>

namespace fardel::tests::staged_file_test {

ErrorCode refusal(const std::string& path) { return code_of(stage_file(path)); }

ErrorCode append_refusal(const std::string& path, std::uint64_t expected_bytes) {
    return code_of(append_to_file(path, expected_bytes, bytes_of("more")));
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_CASE("staged file: nothing is at the target before commit, everything after") {
    const ScratchFolder scratch;
    const auto path = scratch.path("out");
    auto file = value_of(stage_file(path));
    REQUIRE(file->write_at(4, bytes_of("world")));
    REQUIRE(file->write_at(0, bytes_of("new ")));
    REQUIRE(file->write_at(0, {}));
    CHECK_FALSE(fs::exists(path));
    REQUIRE(file->commit());
    CHECK(read_file(path) == "new world");
    file.reset();
    CHECK(read_file(path) == "new world");
    CHECK(files_in(scratch.root()) == 1);
}

TEST_CASE("staged file: a file that is not committed leaves no trace, and the old content stays") {
    const ScratchFolder scratch;
    const auto path = scratch.write("out", std::string_view("old"));
    {
        const auto file = value_of(stage_file(path));
        REQUIRE(file->write_at(0, bytes_of("something else")));
        CHECK(read_file(path) == "old");
        CHECK(files_in(scratch.root()) == 2);
    }
    CHECK(read_file(path) == "old");
    CHECK(files_in(scratch.root()) == 1);
}

TEST_CASE("staged file: gaps are zero, and so are bytes that are cut off and grown again") {
    const ScratchFolder scratch;
    const auto path = scratch.path("out");
    const auto file = value_of(stage_file(path));
    REQUIRE(file->write_at(2, bytes_of("garbage")));
    REQUIRE(file->resize(4));
    REQUIRE(file->write_at(6, bytes_of("x")));
    REQUIRE(file->resize(9));
    REQUIRE(file->commit());
    CHECK(read_file(path) == std::string("\0\0ga\0\0x\0\0", 9));
}

TEST_CASE("staged file: an old file that is open keeps its bytes") {
    const ScratchFolder scratch;
    const auto path = scratch.write("out", std::string_view("old"));
    std::ifstream reader(path, std::ios::binary);
    const auto file = value_of(stage_file(path));
    REQUIRE(file->write_at(0, bytes_of("new content")));
    REQUIRE(file->commit());
    CHECK(std::string(std::istreambuf_iterator<char>(reader), {}) == "old");
    CHECK(read_file(path) == "new content");
}

TEST_CASE("staged file: the umask decides who may read it") {
    const ScratchFolder scratch;
    const mode_t before = ::umask(027);
    const auto file = value_of(stage_file(scratch.path("out")));
    ::umask(before);
    REQUIRE(file->commit());
    struct stat status {};
    REQUIRE(::stat(scratch.path("out").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0640);
}

TEST_CASE("staged file: two files for one target do not disturb each other, and the last commit wins") {
    const ScratchFolder scratch;
    const auto path = scratch.path("out");
    const auto first = value_of(stage_file(path)), second = value_of(stage_file(path));
    REQUIRE(first->write_at(0, bytes_of("first")));
    REQUIRE(second->write_at(0, bytes_of("second")));
    REQUIRE(second->commit());
    REQUIRE(first->commit());
    CHECK(read_file(path) == "first");
    CHECK(files_in(scratch.root()) == 1);
}

TEST_CASE("staged file: a link at the target is replaced, what it points to is not touched") {
    const ScratchFolder scratch;
    const auto pointed = scratch.write("pointed", std::string_view("pointed"));
    for (const char* to : {"pointed", "nowhere"}) {
        const auto link = scratch.path(std::string("to ") + to);
        fs::create_symlink(to, link);
        const auto file = value_of(stage_file(link));
        REQUIRE(file->write_at(0, bytes_of("new")));
        REQUIRE(file->commit());
        CHECK_FALSE(fs::is_symlink(link));
        CHECK(read_file(link) == "new");
    }
    CHECK(read_file(pointed) == "pointed");
    CHECK_FALSE(fs::exists(scratch.path("nowhere")));
}

TEST_CASE("staged file: a target that cannot or must not be replaced is refused before any work") {
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("folder"));
    CHECK(refusal(scratch.path("folder")) == ErrorCode::malformed);
    CHECK(refusal(scratch.path("folder/")) == ErrorCode::malformed);
    CHECK(refusal("") == ErrorCode::malformed);
    CHECK(refusal(scratch.path("cut") + std::string(1, '\0') + "tail") == ErrorCode::malformed);
    CHECK(refusal("/dev/null") == ErrorCode::malformed);
    REQUIRE(::mkfifo(scratch.path("fifo").c_str(), 0600) == 0);
    CHECK(refusal(scratch.path("fifo")) == ErrorCode::malformed);
    fs::create_symlink("/dev/null", scratch.path("link to device"));
    CHECK(refusal(scratch.path("link to device")) == ErrorCode::malformed);
    fs::create_symlink("folder", scratch.path("link to folder"));
    CHECK(refusal(scratch.path("link to folder")) == ErrorCode::malformed);
    CHECK(refusal(scratch.path("no/such/folder")) == ErrorCode::missing);
    CHECK(refusal(scratch.write("file", std::string_view("x")) + "/below") == ErrorCode::missing);
    CHECK(refusal(scratch.path(std::string(300, 'n'))) == ErrorCode::limit);  // A102: ENAMETOOLONG
    CHECK(stage_file(scratch.path("no/such/folder"))
              .error()
              .message()
              .starts_with(scratch.path("no/such/folder") + ": "));
}

TEST_CASE("staged file: the longest name that the system allows is written") {
    const ScratchFolder scratch;
    const auto path = scratch.path(std::string(255, 'n'));
    REQUIRE(value_of(stage_file(path))->commit());
    CHECK(read_file(path).empty());
}

TEST_CASE("staged file: a folder that may not be written is denied") {
    const ScratchFolder scratch;
    using enum fs::perms;
    fs::permissions(scratch.root(), owner_read | owner_exec | others_read | others_exec);
    {
        const Unprivileged other_user;
        CHECK(refusal(scratch.path("out")) == ErrorCode::denied);
    }
    fs::permissions(scratch.root(), owner_all);
}

TEST_CASE("staged file: a target that became a folder meanwhile stays, and nothing is left") {
    const ScratchFolder scratch;
    const auto path = scratch.path("out");
    {
        const auto file = value_of(stage_file(path));
        fs::create_directory(path);
        CHECK(code_of(file->commit()) == ErrorCode::malformed);
    }
    CHECK(fs::is_directory(path));
    CHECK(files_in(scratch.root()) == 1);
}

TEST_CASE(
    "staged file: a file larger than the system allows is a limit, a full disk no_space") {  // A102: EFBIG, ENOSPC
    const ScratchFolder scratch;
    const rlimit before = [] {
        rlimit limit{};
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
        return limit;
    }();
    const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
    {
        const auto file = value_of(stage_file(scratch.path("out")));
        rlimit small = before;
        small.rlim_cur = 100;
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
        const Status at_once = file->write_at(100, bytes_of("x"));
        const Status across = file->write_at(98, bytes_of("four"));  // a short write, then the error
        const Status grown = file->resize(200);
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
        for (const Status* status : {&at_once, &across, &grown}) {
            REQUIRE_FALSE(*status);
            CHECK(status->error().code() == ErrorCode::limit);
        }
    }
    std::signal(SIGXFSZ, old_action);

    const auto disk = scratch.path("disk");
    fs::create_directory(disk);
    if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
        MESSAGE("SKIPPED: the full disk; mounting a tmpfs is not permitted here");
        return;
    }
    {
        const std::string much(1 << 20, 'x');
        const auto file = value_of(stage_file(disk + "/out"));
        const Status status = file->write_at(0, bytes_of(much));
        CHECK_FALSE(status);
        if (!status)
            CHECK(status.error().code() == ErrorCode::no_space);
    }
    CHECK(files_in(disk) == 0);
    {
        const auto path = disk + "/signed";
        std::ofstream(path) << "0123456789";
        const Status status = append_to_file(path, 10, bytes_of(std::string(1 << 20, 'x')));
        CHECK_FALSE(status);
        if (!status)
            CHECK(status.error().code() == ErrorCode::no_space);
        CHECK(read_file(path) == "0123456789");  // all or nothing
    }
    CHECK(::umount2(disk.c_str(), MNT_DETACH) == 0);
}

TEST_CASE("staged file: a killed writer leaves the target as it was, and the next one works") {  // A100
    const ScratchFolder scratch;
    const auto path = scratch.write("out", std::string_view("old"));
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        auto file = stage_file(path);
        if (file && (*file)->write_at(0, bytes_of("half")))
            ::kill(::getpid(), SIGKILL);
        ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(read_file(path) == "old");
    CHECK(files_in(scratch.root()) == 2);
    // Temporary files of dead processes are removed; those of living ones stay, and so do files with similar names.
    scratch.write(".fardel-1-2.tmp.txt", std::string_view("mine"));
    const auto file = value_of(stage_file(path));
    CHECK(files_in(scratch.root()) == 3);
    REQUIRE(file->write_at(0, bytes_of("new")));
    const auto other = value_of(stage_file(scratch.path("other")));
    CHECK(files_in(scratch.root()) == 4);
    REQUIRE(file->commit());
    CHECK(read_file(path) == "new");
    REQUIRE(other->write_at(0, bytes_of("too")));
    REQUIRE(other->commit());
    CHECK(read_file(scratch.path("other")) == "too");
    CHECK(files_in(scratch.root()) == 3);
}

TEST_CASE("append: bytes go behind the expected end") {
    const ScratchFolder scratch;
    const auto path = scratch.write("bundle", std::string_view("blocks"));
    REQUIRE(append_to_file(path, 6, bytes_of(" and a signature")));
    REQUIRE(append_to_file(path, 22, {}));
    REQUIRE(append_to_file(path, 22, bytes_of("!")));
    CHECK(read_file(path) == "blocks and a signature!");
    CHECK(files_in(scratch.root()) == 1);
}

TEST_CASE("append: a file of another length is a conflict and stays as it is") {
    const ScratchFolder scratch;
    const auto path = scratch.write("bundle", std::string_view("blocks"));
    CHECK(append_refusal(path, 5) == ErrorCode::conflict);
    CHECK(append_refusal(path, 7) == ErrorCode::conflict);
    CHECK(append_refusal(path, 0) == ErrorCode::conflict);
    CHECK(append_refusal(path, ~std::uint64_t{0}) == ErrorCode::conflict);
    CHECK(read_file(path) == "blocks");
}

TEST_CASE("append: a file that another process locks is busy") {
    const ScratchFolder scratch;
    const auto path = scratch.write("bundle", std::string_view("blocks"));
    const int other = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(other >= 0);
    REQUIRE(::flock(other, LOCK_EX) == 0);
    CHECK(append_refusal(path, 6) == ErrorCode::busy);
    ::close(other);
    CHECK(append_to_file(path, 6, bytes_of("more")));
}

TEST_CASE("append: a target that is not a regular file is refused") {
    const ScratchFolder scratch;
    CHECK(append_refusal(scratch.path("nothing"), 0) == ErrorCode::missing);
    CHECK(append_refusal(scratch.path(""), 0) == ErrorCode::malformed);
    CHECK(append_refusal("/dev/null", 0) == ErrorCode::malformed);
    CHECK(append_refusal("/dev/full", 0) == ErrorCode::malformed);
    REQUIRE(::mkfifo(scratch.path("fifo").c_str(), 0600) == 0);
    CHECK(append_refusal(scratch.path("fifo"), 0) == ErrorCode::malformed);

    const auto path = scratch.write("read-only", std::string_view("x"));
    fs::permissions(path, fs::perms::owner_read);
    fs::permissions(scratch.root(), fs::perms::all);
    const Unprivileged other_user;
    CHECK(append_refusal(path, 1) == ErrorCode::denied);
}

TEST_CASE("append: an error in the middle gives the file its old length back") {  // A102
    const ScratchFolder scratch;
    const auto path = scratch.write("bundle", std::string_view("0123456789"));
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
    rlimit small = before;
    small.rlim_cur = 12;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
    const ErrorCode code = append_refusal(path, 10);  // two of four bytes fit
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    std::signal(SIGXFSZ, old_action);
    CHECK(code == ErrorCode::limit);
    CHECK(read_file(path) == "0123456789");
}

}  // namespace fardel::tests::staged_file_test
