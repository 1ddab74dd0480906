// The calls are newer than many systems' headers; their numbers are the same on every architecture. All are older than
// Landlock (Linux 5.13), without which the sandbox does not ask for them.
#include "read_only_mounts.h"

#include "system_call.h"

#include <fardel/base/pipe.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fardel {
namespace {

constexpr long kOpenTree = 428;
constexpr long kMoveMount = 429;
constexpr long kSetMountAttributes = 442;
constexpr unsigned kCopy = 1;            // of open_tree
constexpr unsigned kFromEmptyPath = 4;   // of move_mount
constexpr unsigned kRecursive = 0x8000;  // of both other calls
constexpr std::uint64_t kReadOnly = 1;

struct MountAttributes {
    std::uint64_t set;
    std::uint64_t cleared;
    std::uint64_t propagation;
    std::uint64_t user_namespace;
};

bool write_text(const char* path, std::string_view text) noexcept {
    const int file = ::open(path, O_WRONLY | O_CLOEXEC);
    const bool written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0)
        ::close(file);
    return written;
}

bool map_to_itself(const char* path, unsigned id) noexcept {
    char line[32];
    const int length = std::snprintf(line, sizeof line, "%u %u 1", id, id);
    return write_text(path, {line, static_cast<std::size_t>(length)});
}

// Copies the mount of `path` before all mounts become read-only, and mounts the copy over it afterwards.
bool keep_writable(std::span<const std::string> paths) noexcept {
    if (paths.empty()) {
        // Without MS_PRIVATE, root's namespace would pass on to the system what is mounted below.
        const MountAttributes attributes{
            .set = kReadOnly, .cleared = 0, .propagation = MS_PRIVATE, .user_namespace = 0};
        return ::syscall(kSetMountAttributes, AT_FDCWD, "/", kRecursive, &attributes, sizeof attributes) == 0;
    }
    const char* const path = paths.front().c_str();
    const auto copy =
        static_cast<int>(::syscall(kOpenTree, AT_FDCWD, path, kCopy | kRecursive | static_cast<unsigned>(O_CLOEXEC)));
    if (copy < 0 || !keep_writable(paths.subspan(1)))
        return false;
    const bool mounted = ::syscall(kMoveMount, copy, "", AT_FDCWD, path, kFromEmptyPath) == 0;
    ::close(copy);
    return mounted;
}

// Writes 1 if it can, else 0. The surrounding program may ignore its children, so their exit status is no answer.
[[noreturn]] void try_and_report(const Descriptor& report) noexcept {
    const ReadOnlyMounts result = enter_read_only_mounts({});
    const char can = result == ReadOnlyMounts::entered || result == ReadOnlyMounts::entered_with_user_namespace;
    (void)!::write(report.number(), &can, 1);
    ::_exit(0);
}

bool try_in_child() {
    Result<Pipe> pipe = open_pipe();
    if (!pipe)
        return false;
    // A signal that arrived after fork would run a handler of the surrounding program in the child.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = ::fork();
    if (child == 0)
        try_and_report(pipe->write_end);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pipe->write_end.close();
    char can = 0;
    if (child > 0) {
        (void)!repeat([&] { return ::read(pipe->read_end.number(), &can, 1); });
        repeat([&] { return ::waitpid(child, nullptr, 0); });
    }
    return can != 0;
}

}  // namespace

bool can_enter_read_only_mounts() {
    // A system may grant the user namespace and then deny what belongs to it (AppArmor in Ubuntu 24.04). A process
    // cannot leave a namespace again, so this is found out beforehand.
    static const bool can = try_in_child();
    return can;
}

ReadOnlyMounts enter_read_only_mounts(std::span<const std::string> writable) noexcept {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    // Root keeps its user namespace: in another one, files of other users would have no owner that it can set or read.
    auto entered = ReadOnlyMounts::entered;
    if (::unshare(CLONE_NEWNS) != 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return ReadOnlyMounts::unavailable;
        entered = ReadOnlyMounts::entered_with_user_namespace;
        if (!write_text("/proc/self/setgroups", "deny") || !map_to_itself("/proc/self/uid_map", user) ||
            !map_to_itself("/proc/self/gid_map", group))
            return ReadOnlyMounts::failed;
    }
    return keep_writable(writable) ? entered : ReadOnlyMounts::failed;
}

}  // namespace fardel
