#include "kit/files.h"
#include "kit/foreign_link.h"
#include "kit/test.h"

#include <fardel/base/file.h>
#include <fardel/base/file_lock.h>
#include <fardel/base/file_path.h>
#include <fardel/base/folder.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <cerrno>
#include <cstddef>
#include <filesystem>

namespace fardel::tests::file_path_test {
namespace {

// Calls on a file and on a folder below the link "<root>/link", all of which must be refused.
std::vector<std::string> calls_that_followed(const FilePath& root) {
    const FilePath link = root / "link";
    const FilePath file = link / "file";
    std::vector<std::string> followed;
    const auto expect_refused = [&](const char* call, const auto& outcome) {
        if (outcome || outcome.error().code() != ErrorCode::malformed)
            followed.emplace_back(call);
    };
    expect_refused("open_file", open_file(file, file));
    expect_refused("open_file to write", open_file(file, file, {.access = FileAccess::read_write}));
    expect_refused("open_file, location only", open_file(file, file, {.location_only = true}));
    expect_refused("open_file of the link", open_file(link, link));
    expect_refused("create_file", create_file(link / "new", "new"));
    expect_refused("open_or_create_file", open_or_create_file(link / "new"));
    expect_refused("open_folder", open_folder(link, link));
    expect_refused("open_folder below", open_folder(link / "folder", link));
    expect_refused("list_names_at", list_names_at(link));
    expect_refused("create_folder", create_folder(link / "new", "new"));
    expect_refused("create_folders_below_root", create_folders_below_root(link / "new/newer", Lasting::yes));
    expect_refused("remove_folder", remove_folder(link / "folder", "folder"));
    expect_refused("remove_file", remove_file(file, file));
    expect_refused("rename_file from", rename_file(file, root / "moved", file));
    expect_refused("rename_file to", rename_file(root / "own", link / "moved", file));
    expect_refused("rename_own", rename_own(root / "own", link / "moved"));
    expect_refused("rename_to_new", rename_to_new(root / "own", link / "moved", file));
    expect_refused("exchange_files", exchange_files(root / "own", file, file));
    expect_refused("file_status", file_status(file, file));
    expect_refused("file_status of the name", file_status(file, file, Links::refused));
    expect_refused("find_file_status", find_file_status(file, file));
    expect_refused("set_permissions", set_permissions(file, 0777, file));
    expect_refused("set_permissions of the link", set_permissions(link, 0777, link));
    expect_refused("touch_used_time", touch_used_time(file, file));
    expect_refused("set_times", set_times(file, {.used_ns = 0, .modified_ns = 0}, file));
    expect_refused("verify_may_read_and_write", verify_may_read_and_write(file, file));
    expect_refused("sync_folder", sync_folder(link));
    if (may_execute(file))
        followed.emplace_back("may_execute");
    return followed;
}

#if defined(__linux__) && defined(SYS_openat2) && defined(__x86_64__)
// As in a container or on a kernel that does not have the call.
void lose_openat2() {
    const sock_filter lines[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                                 BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
                                 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{.len = std::size(lines), .filter = const_cast<sock_filter*>(lines)};
    REQUIRE(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}
#endif

struct SharedRoot {
    SharedRoot() {
        scratch.write("outside/file", "outside");
        std::filesystem::create_directory(scratch.path("outside/folder"));
        scratch.write("root/own", "own");
        make_foreign_link(scratch.path("outside"), scratch.path("root/link"));
    }
    FilePath root() const { return FilePath::of_root(scratch.path("root")); }
    FilePath held_root() const {
        return FilePath::of_root(scratch.path("root"), std::make_shared<const Descriptor>(
                                                           value_of(open_folder(scratch.path("root"), "root"))));
    }
    bool is_unchanged() const {
        return read_file(scratch.path("outside/file")) == "outside" &&
               value_of(list_names_at(scratch.path("outside"))) == std::vector<std::string>{"file", "folder"} &&
               read_file(scratch.path("root/own")) == "own" &&
               (value_of(file_status(scratch.path("outside/file"), "file")).permissions & 0111) == 0;
    }
    ScratchFolder scratch;
};

}  // namespace

TEST_CASE("file path: below a root, no call follows a link that another user has made") {  // A141
    if (!can_make_foreign_links())
        return;
    const SharedRoot shared;
    CHECK(calls_that_followed(shared.root()) == std::vector<std::string>{});
    CHECK(calls_that_followed(shared.held_root()) == std::vector<std::string>{});
    CHECK(shared.is_unchanged());
    // The root itself is its user's affair, and so is a link above it.
    make_foreign_link(shared.scratch.path("root"), shared.scratch.path("entry"));
    const FilePath entered = FilePath::of_root(shared.scratch.path("entry"));
    CHECK(value_of(list_names_at(entered)) == std::vector<std::string>{"link", "own"});
    CHECK(open_file(entered / "own", "own"));
    CHECK(calls_that_followed(entered) == std::vector<std::string>{});
    CHECK(shared.is_unchanged());
}

#if defined(__linux__) && defined(SYS_openat2) && defined(__x86_64__)
TEST_CASE("file path: a kernel without openat2 follows no such link either, and opens everything else") {  // A141
    if (!can_make_foreign_links())
        return;
    const SharedRoot shared;
    const FilePath root = shared.root();
    const FilePath held = shared.held_root();
    const pid_t child = ::fork();
    if (child == 0) {
        lose_openat2();
        const bool is_open = open_file(root / "own", "own") && open_file(held / "own", "own") &&
                             create_folders_below_root(held / "a/b", Lasting::no) && create_file(root / "a/b/c", "c") &&
                             list_names_at(held / "a/b");
        const bool is_refused = calls_that_followed(root).empty() && calls_that_followed(held).empty();
        ::_exit((is_open ? 0 : 1) + (is_refused ? 0 : 2));
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(shared.is_unchanged());
}
#endif

TEST_CASE("file path: below a root, a link of the user's own is followed, and none in the place of a new file") {
    const ScratchFolder scratch;
    scratch.write("outside/file", "outside");
    std::filesystem::create_directory(scratch.path("root"));
    std::filesystem::create_directory_symlink("../outside", scratch.path("root/link"));
    std::filesystem::create_symlink(scratch.path("outside/new"), scratch.path("root/dangling"));
    const FilePath root = FilePath::of_root(scratch.path("root/"));
    CHECK(root.text() == scratch.path("root"));
    CHECK(value_of(list_names_at(root / "link")) == std::vector<std::string>{"file"});
    CHECK(open_file(root / "link/file", "file"));
    CHECK(value_of(file_status(root / "link/file", "file")).size_bytes == 7);
    CHECK(create_file(root / "link/second", "second"));
    CHECK(value_of(remove_file(root / "link/second", "second")));
    CHECK(create_folders_below_root(root / "link/a/b", Lasting::yes));
    CHECK(std::filesystem::is_directory(scratch.path("outside/a/b")));
    CHECK(code_of(open_file(root / "link", "link", {.links = Links::refused})) == ErrorCode::malformed);
    CHECK_FALSE(create_file(root / "dangling", "dangling"));
    CHECK_FALSE(std::filesystem::exists(scratch.path("outside/new")));
    CHECK(code_of(open_file(root / "link/gone", "gone")) == ErrorCode::missing);
    CHECK(code_of(open_file(root / "gone/file", "gone")) == ErrorCode::missing);
    CHECK_FALSE(value_of(find_file_status(root / "gone/file", "gone")));
}

TEST_CASE("file path: a held root leads to the folder after that was moved, and another one is in its place") {
    const ScratchFolder scratch;
    scratch.write("folder/file", "first");
    const FilePath root = FilePath::of_root(
        scratch.path("folder"), std::make_shared<const Descriptor>(value_of(open_folder(scratch.path("folder"), "f"))));
    std::filesystem::rename(scratch.path("folder"), scratch.path("moved"));
    scratch.write("folder/file", "second");
    scratch.write("folder/other", "second");
    const Descriptor file = value_of(open_file(root / "file", "file"));
    CHECK(value_of(read_text(file, 100, "file")) == "first");
    CHECK(value_of(list_names_at(root)) == std::vector<std::string>{"file"});
    CHECK(value_of(file_status(root, "root")).is_folder());
    CHECK(sync_folder(root));
    CHECK(root.text() == scratch.path("folder"));
}

TEST_CASE("file path: the folder of a file has its root; that of a root has none") {
    const FilePath root = FilePath::of_root("/srv/store");
    CHECK((root / "packs" / "ab").folder().text() == "/srv/store/packs");
    CHECK((root / "packs").folder().text() == "/srv/store");
    CHECK((root / "packs").folder().root_size() == root.root_size());
    CHECK(root.folder().text() == "/srv");
    CHECK(root.folder().root_size() == 0);
    CHECK((FilePath::of_root("/") / "packs").text() == "/packs");
    CHECK((FilePath::of_root("/") / "packs").folder().text() == "/");
    CHECK(FilePath("plain/file").folder().text() == "plain");
    CHECK(value_of(list_names_at(FilePath::of_root("/") / "proc/self/fd")).size() > 2);
}

TEST_CASE(
    "file lock: who may only read a folder may not open a lock file in it, whatever mode it had before") {  // A148
    const ScratchFolder scratch;
    const auto mode_of = [&](const std::string& name) {
        return value_of(file_status(scratch.path(name), name)).permissions;
    };
    const mode_t before = ::umask(0);
    struct FolderMode {
        std::uint32_t folder;
        std::uint32_t lock;
    };
    for (const FolderMode one : {FolderMode{0755, 0600}, {0775, 0660}, {0700, 0600}, {01777, 0666}, {02770, 0660}}) {
        CAPTURE(one.folder);
        const std::string folder = "folder-" + std::to_string(one.folder);
        std::filesystem::create_directory(scratch.path(folder));
        REQUIRE(set_permissions(scratch.path(folder), one.folder, folder));
        REQUIRE(open_lock_file(scratch.path(folder + "/lock")));
        CHECK(mode_of(folder + "/lock") == one.lock);
        REQUIRE(create_lockable_file(scratch.path(folder + "/lease")));
        CHECK(mode_of(folder + "/lease") == one.lock);
        scratch.write(folder + "/older", "");
        REQUIRE(set_permissions(scratch.path(folder + "/older"), 0666, folder));
        REQUIRE(open_lock_file(scratch.path(folder + "/older")));
        CHECK(mode_of(folder + "/older") == one.lock);
    }
    ::umask(before);
}

}  // namespace fardel::tests::file_path_test
