// A child process in which one system call on files fails, without being executed.
#pragma once

#include <doctest/doctest.h>

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>

// Not under a sanitizer, because its own calls would be counted and fail too.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FARDEL_CAN_FAIL_CALLS 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef FARDEL_CAN_FAIL_CALLS
#endif
#endif

namespace fardel::tests {

#if defined(FARDEL_CAN_FAIL_CALLS)

inline bool is_on_files(unsigned long long call) {
    constexpr unsigned long long kCalls[] = {
        SYS_read,       SYS_write,           SYS_close,    SYS_fstat,      SYS_lseek,     SYS_pread64,   SYS_pwrite64,
        SYS_fcntl,      SYS_flock,           SYS_fsync,    SYS_fdatasync,  SYS_ftruncate, SYS_rename,    SYS_mkdir,
        SYS_link,       SYS_unlink,          SYS_fchmod,   SYS_getdents64, SYS_fadvise64, SYS_openat,    SYS_mkdirat,
        SYS_newfstatat, SYS_unlinkat,        SYS_renameat, SYS_linkat,     SYS_faccessat, SYS_utimensat, SYS_fallocate,
        SYS_renameat2,  SYS_copy_file_range, SYS_statx};
    return std::ranges::find(kCalls, call) != std::end(kCalls);
}

struct FailedCall {
    bool failed = false;  // false: the work made fewer calls
    unsigned long long call = 0;
    int exit_code = 0;  // what the work returned
};

// The `number`-th call on files of the child's first thread, from 1, fails with `error`.
template <class Work>
FailedCall fail_call(int number, int error, Work work) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::raise(SIGSTOP);
        ::_exit(work());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSTOPPED(status));
    REQUIRE(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
    FailedCall outcome;
    bool enters = true;
    int seen = 0;
    int signal = 0;
    while (true) {
        REQUIRE(::ptrace(outcome.failed && enters ? PTRACE_CONT : PTRACE_SYSCALL, child, nullptr, signal) == 0);
        REQUIRE(::waitpid(child, &status, 0) == child);
        if (WIFEXITED(status)) {
            outcome.exit_code = WEXITSTATUS(status);
            return outcome;
        }
        REQUIRE_MESSAGE(WIFSTOPPED(status), "the child was killed by a signal");
        signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
        if (signal != 0)
            continue;
        user_regs_struct registers{};
        REQUIRE(::ptrace(PTRACE_GETREGS, child, nullptr, &registers) == 0);
        if (enters && is_on_files(registers.orig_rax) && ++seen == number) {
            outcome.failed = true;
            outcome.call = registers.orig_rax;
            registers.orig_rax = ~0ull;  // no such call
            REQUIRE(::ptrace(PTRACE_SETREGS, child, nullptr, &registers) == 0);
        } else if (!enters && outcome.failed) {
            registers.rax = static_cast<unsigned long long>(-static_cast<long long>(error));
            REQUIRE(::ptrace(PTRACE_SETREGS, child, nullptr, &registers) == 0);
        }
        enters = !enters;
    }
}
#endif

}  // namespace fardel::tests
