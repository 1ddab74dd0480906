// A program that tries what a confined program must not be able to do. sandbox_test runs it, with and without a
// sandbox.
//
// Arguments: the process id of a program outside; a folder outside with `file`, `folder`, `program` and `readable`, of
// which the rules let it read only `readable`; and "all", or "possible" for those attempts alone that every user may
// make without a sandbox. It starts in its own folder. Prints one line per attempt: its name, and "done", the
// number of the error, or the signal that ended it.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

struct Outside {
    pid_t process;
    std::string file;
    std::string folder;
    std::string program;
    std::string readable;
};

enum class Kind {
    refused,   // refused in a sandbox
    ordinary,  // the same, and possible without one, for every user
};

struct Attempt {
    Kind kind;
    const char* name;
    long (*make)(const Outside&);
};

long number_of(long call, long first = 0, long second = 0, long third = 0, long fourth = 0, long fifth = 0) {
    return ::syscall(call, first, second, third, fourth, fifth);
}

template <class T>
long address(T* object) {
    return reinterpret_cast<long>(object);
}

int opened(const std::string& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

// The failure to open the file is no attempt.
template <class Call>
long with_readable(const Outside& outside, const Call& call) {
    const int file = opened(outside.readable);
    if (file < 0)
        std::abort();
    return call(file);
}

struct StreamPair {
    std::array<int, 2> ends{};
    StreamPair() {
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
            std::abort();
    }
};

sockaddr_un abstract_address() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, "\0fardel-attempt", 15);
    return address;
}

long call_of_sibling() {
#ifdef __x86_64__
    long result = 20;  // getpid
    asm volatile("int $0x80" : "+a"(result) : : "memory");
    errno = static_cast<int>(result < 0 ? -result : 0);
    return result < 0 ? -1 : result;
#else
    errno = ENOSYS;
    return -1;
#endif
}

long call_of_x32() {
#ifdef __x86_64__
    return number_of(0x40000000 + SYS_getpid);
#else
    errno = ENOSYS;
    return -1;
#endif
}

const timeval kLongAgo[2]{};
const timespec kBegin[2]{};

const Attempt kAttempts[] = {
    // ---- Modes, owners, times, attributes of files outside
    {Kind::ordinary, "chmod of a file", [](const Outside& o) -> long { return ::chmod(o.file.c_str(), 0777); }},
    {Kind::ordinary, "chmod of a folder", [](const Outside& o) -> long { return ::chmod(o.folder.c_str(), 0777); }},
    {Kind::ordinary, "chmod of a program to set-user-ID",
     [](const Outside& o) -> long { return ::chmod(o.program.c_str(), 04755); }},
    {Kind::ordinary, "fchmodat", [](const Outside& o) -> long { return ::fchmodat(-1, o.file.c_str(), 0700, 0); }},
    {Kind::refused, "fchmodat2",
     [](const Outside& o) { return number_of(452, AT_FDCWD, address(o.file.c_str()), 0701, 0); }},
    {Kind::ordinary, "chown to its owner",
     [](const Outside& o) -> long { return ::chown(o.file.c_str(), ::getuid(), ::getgid()); }},
    {Kind::ordinary, "lchown to its owner",
     [](const Outside& o) -> long { return ::lchown(o.file.c_str(), ::getuid(), ::getgid()); }},
    {Kind::ordinary, "utimes", [](const Outside& o) -> long { return ::utimes(o.file.c_str(), kLongAgo); }},
    {Kind::ordinary, "utimensat",
     [](const Outside& o) -> long { return ::utimensat(AT_FDCWD, o.file.c_str(), kBegin, 0); }},
    {Kind::ordinary, "chmod through a link",
     [](const Outside& o) -> long {
         return ::symlink(o.file.c_str(), "link") == 0 ? ::chmod("link", 0777) : 0;
     }},
    {Kind::ordinary, "chmod through the folder above",
     [](const Outside&) -> long { return ::chmod("../outside/file", 0777); }},
    {Kind::ordinary, "chmod through the own folder and the one above",
     [](const Outside& o) -> long { return ::chmod((o.folder + "/../../own/../outside/file").c_str(), 0777); }},
    {Kind::ordinary, "fchmodat from a descriptor",
     [](const Outside&) -> long {
         return ::fchmodat(::open(".", O_RDONLY | O_CLOEXEC), "../outside/file", 0777, 0);
     }},
    {Kind::ordinary, "chmod through the root folder in /proc",
     [](const Outside& o) -> long { return ::chmod(("/proc/self/root" + o.file).c_str(), 0777); }},
    {Kind::ordinary, "chmod through a descriptor in /proc",
     [](const Outside& o) {
         return with_readable(
             o, [](int file) { return ::chmod(("/proc/self/fd/" + std::to_string(file)).c_str(), 0777); });
     }},
    {Kind::ordinary, "lchown through a folder that is a link",
     [](const Outside& o) -> long {
         const std::string above = o.folder.substr(0, o.folder.rfind('/'));
         return ::symlink(above.c_str(), "above") == 0 ? ::lchown("above/file", ::getuid(), ::getgid()) : 0;
     }},
    {Kind::refused, "setxattr",
     [](const Outside& o) -> long { return ::setxattr(o.file.c_str(), "user.fardel", "x", 1, 0); }},
    {Kind::refused, "lremovexattr",
     [](const Outside& o) -> long { return ::lremovexattr(o.file.c_str(), "user.fardel"); }},
    {Kind::ordinary, "fchmod of a file that may be read",
     [](const Outside& o) { return with_readable(o, [](int file) { return ::fchmod(file, 0777); }); }},
    {Kind::ordinary, "fchown of a file that may be read",
     [](const Outside& o) { return with_readable(o, [](int file) { return ::fchown(file, ::getuid(), -1u); }); }},
    {Kind::ordinary, "futimens of a file that may be read",
     [](const Outside& o) { return with_readable(o, [](int file) { return ::futimens(file, kBegin); }); }},
    {Kind::refused, "flags of a file that may be read",
     [](const Outside& o) {
         return with_readable(o, [](int file) {
             int flags = FS_NODUMP_FL;
             return ::ioctl(file, FS_IOC_SETFLAGS, &flags);
         });
     }},
    {Kind::refused, "a lease on a file that may be read",
     [](const Outside& o) { return with_readable(o, [](int file) { return ::fcntl(file, F_SETLEASE, F_RDLCK); }); }},
    {Kind::refused, "chmod of a device", [](const Outside&) -> long { return ::chmod("/dev/null", 0666); }},
    {Kind::refused, "fchmod of standard input", [](const Outside&) -> long { return ::fchmod(STDIN_FILENO, 0666); }},
    {Kind::ordinary, "truncate", [](const Outside& o) -> long { return ::truncate(o.file.c_str(), 1); }},
    {Kind::ordinary, "open for writing", [](const Outside& o) -> long { return ::open(o.file.c_str(), O_WRONLY); }},
    {Kind::ordinary, "a new file", [](const Outside& o) -> long { return ::creat((o.file + ".new").c_str(), 0600); }},
    {Kind::ordinary, "a new folder", [](const Outside& o) -> long { return ::mkdir((o.file + ".d").c_str(), 0700); }},
    {Kind::ordinary, "a new FIFO", [](const Outside& o) -> long { return ::mkfifo((o.file + ".f").c_str(), 0600); }},
    {Kind::ordinary, "a hard link", [](const Outside& o) -> long { return ::link(o.file.c_str(), "linked"); }},
    {Kind::refused, "open for reading", [](const Outside& o) -> long { return opened(o.file); }},
    // ---- Own files that would act for their owner, and devices
    {Kind::ordinary, "an own set-user-ID file",
     [](const Outside&) -> long { return ::open("own-1", O_CREAT | O_WRONLY, 04755); }},
    {Kind::ordinary, "an own set-group-ID folder", [](const Outside&) -> long { return ::mkdir("own-2", 02755); }},
    {Kind::ordinary, "chmod of an own file to set-user-ID",
     [](const Outside&) -> long {
         return ::close(::open("own-3", O_CREAT | O_WRONLY, 0755)) == 0 ? ::chmod("own-3", 04755) : 0;
     }},
    {Kind::ordinary, "fchmod of an own file to set-group-ID",
     [](const Outside&) -> long { return ::fchmod(::open("own-4", O_CREAT | O_WRONLY, 0755), 02755); }},
    {Kind::ordinary, "mknod of a set-user-ID file",
     [](const Outside&) -> long { return ::mknod("own-5", S_IFREG | 04755, 0); }},
    {Kind::refused, "mknod of a device",
     [](const Outside&) -> long { return ::mknod("own-6", S_IFCHR | 0600, 0x103); }},
    {Kind::refused, "openat2",
     [](const Outside&) {
         const std::array<unsigned long long, 3> how{O_CREAT | O_WRONLY, 04755, 0};
         return number_of(437, AT_FDCWD, address("own-7"), address(how.data()), sizeof how);
     }},
    // ---- Other processes
    {Kind::ordinary, "the priority of another process",
     [](const Outside& o) -> long { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(o.process), 10); }},
    {Kind::ordinary, "the I/O priority of another process",
     [](const Outside& o) { return number_of(SYS_ioprio_set, 1, o.process, 3 << 13); }},
    {Kind::ordinary, "the limits of another process",
     [](const Outside& o) -> long {
         const rlimit limit{64, 64};
         return ::prlimit(o.process, RLIMIT_NOFILE, &limit, nullptr);
     }},
    {Kind::ordinary, "the cores of another process",
     [](const Outside& o) -> long {
         cpu_set_t cores;
         return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? ::sched_setaffinity(o.process, sizeof cores, &cores)
                                                                  : 0;
     }},
    {Kind::ordinary, "the scheduling of another process",
     [](const Outside& o) -> long {
         const sched_param none{};
         return ::sched_setscheduler(o.process, SCHED_BATCH, &none);
     }},
    {Kind::refused, "scheduling in real time",
     [](const Outside&) -> long {
         const sched_param first{.sched_priority = 1};
         return ::sched_setscheduler(0, SCHED_FIFO, &first);
     }},
    {Kind::refused, "sched_setattr",
     [](const Outside& o) {
         const std::array<unsigned, 12> attributes{sizeof attributes, SCHED_BATCH};
         return number_of(SYS_sched_setattr, o.process, address(attributes.data()), 0);
     }},
    {Kind::ordinary, "a signal to another process", [](const Outside& o) -> long { return ::kill(o.process, 0); }},
    {Kind::ordinary, "a queued signal to another process",
     [](const Outside& o) -> long { return ::sigqueue(o.process, 0, sigval{}); }},
    {Kind::ordinary, "a signal to a thread of another process",
     [](const Outside& o) { return number_of(SYS_tgkill, o.process, o.process, 0); }},
    {Kind::ordinary, "a signal to all processes", [](const Outside&) -> long { return ::kill(-1, 0); }},
    {Kind::ordinary, "a descriptor that signals another process",
     [](const Outside& o) -> long { return ::fcntl(StreamPair().ends[0], F_SETOWN, o.process); }},
    {Kind::ordinary, "pidfd_open", [](const Outside& o) { return number_of(434, o.process, 0); }},
    {Kind::refused, "ptrace", [](const Outside& o) { return ::ptrace(PTRACE_SEIZE, o.process, nullptr, nullptr); }},
    {Kind::refused, "ptrace of itself", [](const Outside&) { return ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
    {Kind::refused, "process_vm_readv",
     [](const Outside& o) -> long {
         char byte = 0;
         const iovec here{&byte, 1};
         const iovec there{reinterpret_cast<void*>(0x400000), 1};
         return ::process_vm_readv(o.process, &here, 1, &there, 1, 0);
     }},
    {Kind::refused, "process_madvise",
     [](const Outside&) { return number_of(440, ::open(".", O_RDONLY), 0, 0, 20, 0); }},
    {Kind::refused, "kcmp", [](const Outside& o) { return number_of(SYS_kcmp, ::getpid(), o.process, 0, 0, 0); }},
    {Kind::refused, "move_pages", [](const Outside& o) { return number_of(SYS_move_pages, o.process); }},
    {Kind::refused, "migrate_pages", [](const Outside& o) { return number_of(SYS_migrate_pages, o.process); }},
    {Kind::refused, "get_robust_list",
     [](const Outside& o) {
         void* list = nullptr;
         std::size_t bytes = 0;
         return number_of(SYS_get_robust_list, o.process, address(&list), address(&bytes));
     }},
    {Kind::refused, "a shared core", [](const Outside& o) -> long { return ::prctl(62, 1, o.process, 0, 0); }},
    // ---- Namespaces and the system
    {Kind::refused, "a user namespace", [](const Outside&) -> long { return ::unshare(CLONE_NEWUSER); }},
    {Kind::refused, "a mount namespace", [](const Outside&) -> long { return ::unshare(CLONE_NEWNS); }},
    {Kind::refused, "a network namespace", [](const Outside&) -> long { return ::unshare(CLONE_NEWNET); }},
    {Kind::refused, "a child in a user namespace",
     [](const Outside&) {
         const long child = number_of(SYS_clone, CLONE_NEWUSER | SIGCHLD);
         if (child == 0)
             ::_exit(0);
         return child;
     }},
    {Kind::refused, "clone3",
     [](const Outside&) {
         const std::array<unsigned long long, 11> arguments{CLONE_NEWUSER, 0, 0, 0, SIGCHLD};
         const long child = number_of(435, address(arguments.data()), sizeof arguments);
         if (child == 0)
             ::_exit(0);
         return child;
     }},
    {Kind::refused, "setns", [](const Outside&) { return number_of(SYS_setns, ::open(".", O_RDONLY), CLONE_NEWNS); }},
    {Kind::refused, "mount", [](const Outside&) -> long { return ::mount("none", ".", "tmpfs", 0, nullptr); }},
    {Kind::refused, "umount", [](const Outside&) -> long { return ::umount2(".", MNT_DETACH); }},
    {Kind::refused, "a mount that can be written to again",
     [](const Outside&) -> long { return ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND, nullptr); }},
    {Kind::refused, "mount_setattr",
     [](const Outside&) {
         const std::array<unsigned long long, 4> attributes{0, 1, 0, 0};
         return number_of(442, AT_FDCWD, address("/"), 0, address(attributes.data()), sizeof attributes);
     }},
    {Kind::refused, "open_tree", [](const Outside&) { return number_of(428, AT_FDCWD, address("."), 1); }},
    {Kind::refused, "pivot_root", [](const Outside&) { return number_of(SYS_pivot_root, address("."), address(".")); }},
    {Kind::refused, "chroot", [](const Outside&) -> long { return ::chroot("."); }},
    {Kind::refused, "open_by_handle_at",
     [](const Outside&) {
         std::array<unsigned, 8> handle{8, 1};
         return number_of(SYS_open_by_handle_at, AT_FDCWD, address(handle.data()), O_RDONLY);
     }},
    {Kind::refused, "fanotify_init", [](const Outside&) { return number_of(SYS_fanotify_init, 0, 0); }},
    {Kind::ordinary, "inotify_init1", [](const Outside&) { return number_of(SYS_inotify_init1, 0); }},
    {Kind::ordinary, "a notice about a folder",
     [](const Outside&) -> long { return ::fcntl(::open(".", O_RDONLY), F_NOTIFY, DN_MODIFY); }},
    {Kind::refused, "keyctl", [](const Outside&) { return number_of(SYS_keyctl, 0, -3, 0); }},
    {Kind::ordinary, "shared memory of System V", [](const Outside&) { return number_of(SYS_shmget, 0, 4096, 0600); }},
    {Kind::ordinary, "a message queue of System V", [](const Outside&) { return number_of(SYS_msgget, 0, 0600); }},
    {Kind::ordinary, "semaphores of System V", [](const Outside&) { return number_of(SYS_semget, 0, 1, 0600); }},
    {Kind::refused, "a message queue of POSIX",
     [](const Outside&) { return number_of(SYS_mq_open, address("fardel"), O_RDWR | O_CREAT, 0600, 0); }},
    {Kind::refused, "userfaultfd", [](const Outside&) { return number_of(SYS_userfaultfd, 1); }},
    {Kind::refused, "bpf", [](const Outside&) { return number_of(SYS_bpf, 0, 0, 0); }},
    {Kind::refused, "perf_event_open",
     [](const Outside&) {
         std::array<unsigned, 32> event{1, sizeof event};
         return number_of(SYS_perf_event_open, address(event.data()), 0, -1, -1, 0);
     }},
    {Kind::refused, "syslog", [](const Outside&) { return number_of(SYS_syslog, 10, 0, 0); }},
    {Kind::refused, "quotactl", [](const Outside&) { return number_of(SYS_quotactl, 0, 0, 0, 0); }},
    {Kind::refused, "acct", [](const Outside&) { return number_of(SYS_acct, 0); }},
    {Kind::refused, "swapoff", [](const Outside&) { return number_of(SYS_swapoff, address("own-8")); }},
    {Kind::refused, "sethostname", [](const Outside&) { return number_of(SYS_sethostname, address(""), -1); }},
    {Kind::refused, "settimeofday", [](const Outside&) { return number_of(SYS_settimeofday, 0, 0); }},
    {Kind::refused, "another execution domain",
     [](const Outside&) -> long { return ::personality(READ_IMPLIES_EXEC); }},
    {Kind::refused, "io_uring",
     [](const Outside&) { return number_of(425, 1, address(std::array<int, 30>{}.data())); }},
    {Kind::refused, "vmsplice", [](const Outside&) { return number_of(SYS_vmsplice, -1, 0, 0, 0); }},
    {Kind::refused, "a character typed into a terminal",
     [](const Outside&) -> long { return ::ioctl(STDIN_FILENO, 0x5412, "x"); }},
    {Kind::refused, "a call of the 32-bit sibling", [](const Outside&) { return call_of_sibling(); }},
    {Kind::refused, "a call of x32", [](const Outside&) { return call_of_x32(); }},
    // ---- Sockets
    {Kind::refused, "a socket of the network", [](const Outside&) -> long { return ::socket(AF_INET, SOCK_DGRAM, 0); }},
    {Kind::refused, "a socket to daemons", [](const Outside&) -> long { return ::socket(AF_UNIX, SOCK_STREAM, 0); }},
    {Kind::refused, "a socket to the kernel", [](const Outside&) -> long { return ::socket(AF_NETLINK, SOCK_RAW, 0); }},
    {Kind::ordinary, "a pair of datagram sockets",
     [](const Outside&) -> long {
         std::array<int, 2> ends{};
         return ::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends.data());
     }},
    {Kind::ordinary, "a name for one end of a pair",
     [](const Outside&) -> long {
         const sockaddr_un name = abstract_address();
         return ::bind(StreamPair().ends[0], reinterpret_cast<const sockaddr*>(&name), 17);
     }},
};

// Each attempt is made in a child, so that one that succeeds does not change what the next one meets.
std::string outcome_of(const Attempt& attempt, const Outside& outside) {
    const pid_t child = ::fork();
    if (child == 0) {
        errno = 0;
        const long result = attempt.make(outside);
        ::_exit(result < 0 ? errno : 0);
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child)
        return "not made";
    if (WIFSIGNALED(status))
        return "signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "done" : std::to_string(WEXITSTATUS(status));
}

}  // namespace

int main(int count, char** words) {
    if (count != 4)
        return 2;
    const std::string folder = words[2];
    const Outside outside{.process = std::atoi(words[1]),
                          .file = folder + "/file",
                          .folder = folder + "/folder",
                          .program = folder + "/program",
                          .readable = folder + "/readable"};
    const bool all = std::string_view(words[3]) == "all";
    for (const Attempt& attempt : kAttempts) {
        if (!all && attempt.kind == Kind::refused)
            continue;
        const std::string outcome = outcome_of(attempt, outside);
        std::printf("%s\t%s\n", attempt.name, outcome.c_str());
        std::fflush(stdout);
    }
    // Without the check for leaks, which a sanitizer makes at the end and the sandbox prevents.
    ::_exit(0);
}
