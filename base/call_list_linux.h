// Which system calls a confined program may make. Numbers are those of the architecture that Fardel is built for; calls
// that system headers may lack have the same number everywhere and are named here.
#pragma once

#include "call_filter.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include <sys/syscall.h>

namespace fardel {

// What a call meets. Verdicts that depend on arguments say of which.
enum class Verdict : unsigned char {
    allow,
    refuse,        // EPERM
    deny,          // EACCES
    unsupported,   // EOPNOTSUPP: programs then go on without attributes and access control lists
    unknown,       // ENOSYS: C libraries and runtimes then take an older call
    own_process,   // the first argument is 0, which means the caller
    own_priority,  // (PRIO_PROCESS, 0)
    own_io_priority,
    usual_scheduler,  // (0, a policy that is not of real time)
    plain_clone,      // no namespaces
    some_processes,   // not -1, which means all
    stream_pair,
    process_option,    // of prctl
    execution_domain,  // of personality
    descriptor_command,
    device_command,
    created_mode_second,  // open(path, flags, mode)
    created_mode_third,   // openat(folder, path, flags, mode)
    plain_mode_second,    // no set-user-ID, no set-group-ID
    plain_mode_third,
    plain_node_second,  // no device either
    plain_node_third,
    no_path_second,  // utimensat about a descriptor
    ask_keeper,
};

// Calls since Linux 5.1, whose numbers are the same everywhere and follow those of the oldest kernel of any interest.
inline constexpr std::size_t kFirstCommonCall = 424;
inline constexpr std::size_t kCallsMax = 512;

using Verdicts = std::array<Verdict, kCallsMax>;

// Files, memory, threads, time, own signals: what compilers, interpreters, shells and converters of files need.
inline constexpr unsigned kAllowedCalls[] = {
#ifdef __x86_64__
    SYS_access, SYS_alarm, SYS_arch_prctl, SYS_dup2, SYS_epoll_create, SYS_epoll_wait, SYS_eventfd, SYS_fork,
    SYS_getdents, SYS_getpgrp, SYS_link, SYS_lstat, SYS_pause, SYS_pipe, SYS_poll, SYS_readlink, SYS_rename, SYS_rmdir,
    SYS_select, SYS_signalfd, SYS_stat, SYS_symlink, SYS_time, SYS_unlink, SYS_vfork,
#endif
#ifdef __riscv
    258, 259,  // riscv_hwprobe, riscv_flush_icache
#endif
#ifdef SYS_getrlimit
    SYS_getrlimit, SYS_setrlimit,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    // Files.
    SYS_chdir, SYS_close, SYS_copy_file_range, SYS_dup, SYS_dup3, SYS_faccessat, SYS_fadvise64, SYS_fallocate,
    SYS_fchdir, SYS_fdatasync, SYS_fgetxattr, SYS_flistxattr, SYS_flock, SYS_fstat, SYS_fstatfs, SYS_fsync,
    SYS_ftruncate, SYS_getcwd, SYS_getdents64, SYS_getxattr, SYS_lgetxattr, SYS_linkat, SYS_listxattr, SYS_llistxattr,
    SYS_lseek, SYS_newfstatat, SYS_pipe2, SYS_pread64, SYS_preadv, SYS_preadv2, SYS_pwrite64, SYS_pwritev, SYS_pwritev2,
    SYS_read, SYS_readahead, SYS_readlinkat, SYS_readv, SYS_renameat2, SYS_sendfile, SYS_splice, SYS_statfs, SYS_statx,
    SYS_symlinkat, SYS_sync, SYS_sync_file_range, SYS_syncfs, SYS_tee, SYS_truncate, SYS_umask, SYS_unlinkat, SYS_write,
    SYS_writev,
    // Waiting. Pairs of streams come from socketpair.
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_eventfd2, SYS_getpeername, SYS_getsockname, SYS_getsockopt,
    SYS_ppoll, SYS_pselect6, SYS_recvfrom, SYS_recvmmsg, SYS_recvmsg, SYS_sendmmsg, SYS_sendmsg, SYS_sendto,
    SYS_setsockopt, SYS_shutdown, SYS_signalfd4,
    // Memory.
    SYS_brk, SYS_get_mempolicy, SYS_madvise, SYS_mbind, SYS_membarrier, SYS_memfd_create, SYS_mincore, SYS_mlock,
    SYS_mlock2, SYS_mlockall, SYS_mmap, SYS_mprotect, SYS_mremap, SYS_msync, SYS_munlock, SYS_munlockall, SYS_munmap,
    SYS_pkey_alloc, SYS_pkey_free, SYS_pkey_mprotect, SYS_remap_file_pages, SYS_set_mempolicy,
    // Processes and threads: the caller and its children, and questions about others that Linux answers to everybody.
    SYS_capget, SYS_capset, SYS_execve, SYS_execveat, SYS_exit, SYS_exit_group, SYS_futex, SYS_getcpu, SYS_getegid,
    SYS_geteuid, SYS_getgid, SYS_getgroups, SYS_getpgid, SYS_getpid, SYS_getppid, SYS_getpriority, SYS_getresgid,
    SYS_getresuid, SYS_getrusage, SYS_getsid, SYS_gettid, SYS_getuid, SYS_ioprio_get, SYS_rseq,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_getaffinity, SYS_sched_getattr,
    SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_rr_get_interval, SYS_sched_yield, SYS_seccomp,
    SYS_set_robust_list, SYS_set_tid_address, SYS_setfsgid, SYS_setfsuid, SYS_setgid, SYS_setgroups, SYS_setpgid,
    SYS_setregid, SYS_setresgid, SYS_setresuid, SYS_setreuid, SYS_setsid, SYS_setuid, SYS_wait4, SYS_waitid,
    // Signals. Landlock limits who receives them (Linux 6.12 and later).
    SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigpending, SYS_rt_sigprocmask, SYS_rt_sigqueueinfo, SYS_rt_sigreturn,
    SYS_rt_sigsuspend, SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo, SYS_sigaltstack, SYS_tgkill, SYS_tkill,
    // Time, and what the system is.
    SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep, SYS_getitimer, SYS_getrandom, SYS_gettimeofday,
    SYS_nanosleep, SYS_setitimer, SYS_sysinfo, SYS_timer_create, SYS_timer_delete, SYS_timer_getoverrun,
    SYS_timer_gettime, SYS_timer_settime, SYS_timerfd_create, SYS_timerfd_gettime, SYS_timerfd_settime, SYS_times,
    SYS_uname,
    // close_range, faccessat2, epoll_pwait2, landlock_*, futex_waitv, cachestat, map_shadow_stack, futex_wake,
    // futex_wait, futex_requeue, mseal.
    436, 439, 441, 444, 445, 446, 449, 451, 453, 454, 455, 456, 462};

// Network, daemons and key rings. Programs know EACCES as their answer.
inline constexpr unsigned kDeniedCalls[] = {SYS_socket,  SYS_connect, SYS_bind,   SYS_listen,     SYS_accept,
                                            SYS_accept4, SYS_add_key, SYS_keyctl, SYS_request_key};

struct CallVerdict {
    unsigned call;
    Verdict verdict;
};

inline constexpr CallVerdict kCheckedCalls[] = {
#ifdef __x86_64__
    {SYS_creat, Verdict::plain_mode_second},
    {SYS_mkdir, Verdict::plain_mode_second},
    {SYS_mknod, Verdict::plain_node_second},
    {SYS_open, Verdict::created_mode_second},
#endif
    {SYS_clone, Verdict::plain_clone},
    {SYS_fcntl, Verdict::descriptor_command},
    {SYS_ioctl, Verdict::device_command},
    {SYS_ioprio_set, Verdict::own_io_priority},
    {SYS_kill, Verdict::some_processes},
    {SYS_mkdirat, Verdict::plain_mode_third},
    {SYS_mknodat, Verdict::plain_node_third},
    {SYS_move_pages, Verdict::own_process},
    {SYS_openat, Verdict::created_mode_third},
    {SYS_personality, Verdict::execution_domain},
    {SYS_prctl, Verdict::process_option},
    {SYS_prlimit64, Verdict::own_process},
    {SYS_sched_setaffinity, Verdict::own_process},
    {SYS_sched_setscheduler, Verdict::usual_scheduler},
    {SYS_setpriority, Verdict::own_priority},
    {SYS_socketpair, Verdict::stream_pair},
};

struct AttributeCall {
    unsigned call;
    Verdict verdict;
    bool by_descriptor;
    bool is_extended = false;
};

inline constexpr AttributeCall kAttributeCalls[] = {
#ifdef __x86_64__
    {SYS_chmod, Verdict::plain_mode_second, false},
    {SYS_chown, Verdict::allow, false},
    {SYS_futimesat, Verdict::allow, false},
    {SYS_lchown, Verdict::allow, false},
    {SYS_utime, Verdict::allow, false},
    {SYS_utimes, Verdict::allow, false},
#endif
    {SYS_fchmod, Verdict::plain_mode_second, true},
    {SYS_fchmodat, Verdict::plain_mode_third, false},
    {452, Verdict::plain_mode_third, false},  // fchmodat2
    {SYS_fchown, Verdict::allow, true},
    {SYS_fchownat, Verdict::allow, false},
    {SYS_fremovexattr, Verdict::allow, true, true},
    {SYS_fsetxattr, Verdict::allow, true, true},
    {SYS_lremovexattr, Verdict::allow, false, true},
    {SYS_lsetxattr, Verdict::allow, false, true},
    {SYS_removexattr, Verdict::allow, false, true},
    {SYS_setxattr, Verdict::allow, false, true},
};

constexpr Verdict verdict_of(const AttributeCall& listed, AttributeCalls attributes) {
    if (attributes == AttributeCalls::allowed)
        return listed.verdict;
    if (attributes == AttributeCalls::refused)
        return Verdict::refuse;
    if (attributes == AttributeCalls::by_keeper && !listed.is_extended)
        return Verdict::ask_keeper;
    if (attributes == AttributeCalls::by_descriptor && listed.by_descriptor)
        return listed.verdict;
    return listed.is_extended ? Verdict::unsupported : Verdict::refuse;
}

constexpr Verdicts call_verdicts(AttributeCalls attributes) {
    Verdicts verdicts{};
    // An argument of clone3 and of openat2 is a structure, which no filter can read; so both are unknown, like
    // io_uring, whose operations pass no filter.
    for (std::size_t call = 0; call < kCallsMax; ++call)
        verdicts[call] = call < kFirstCommonCall ? Verdict::refuse : Verdict::unknown;
    for (const unsigned call : kAllowedCalls)
        verdicts[call] = Verdict::allow;
    for (const unsigned call : kDeniedCalls)
        verdicts[call] = Verdict::deny;
    for (const CallVerdict& listed : kCheckedCalls)
        verdicts[listed.call] = listed.verdict;
    for (const AttributeCall& listed : kAttributeCalls)
        verdicts[listed.call] = verdict_of(listed, attributes);
    // It names a file by its path, or by the descriptor alone if there is no path.
    switch (attributes) {
        case AttributeCalls::allowed: verdicts[SYS_utimensat] = Verdict::allow; break;
        case AttributeCalls::by_keeper: verdicts[SYS_utimensat] = Verdict::ask_keeper; break;
        case AttributeCalls::by_descriptor: verdicts[SYS_utimensat] = Verdict::no_path_second; break;
        case AttributeCalls::refused: verdicts[SYS_utimensat] = Verdict::refuse; break;
    }
    return verdicts;
}

}  // namespace fardel
