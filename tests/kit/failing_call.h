// Child processes that are stopped at a system call, or in which one on files fails without being executed.
#pragma once

#include <fardel/base/sanitizers.h>

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
#if defined(__x86_64__) && !FARDEL_ADDRESS_SANITIZER && !FARDEL_THREAD_SANITIZER
#define FARDEL_CAN_FAIL_CALLS 1
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

// Whether the call may change files or names: between two such calls, a kill finds the same state on disk.
inline bool changes_files(unsigned long long call) {
    constexpr unsigned long long kCalls[] = {SYS_write,     SYS_pwrite64, SYS_ftruncate, SYS_rename,   SYS_mkdir,
                                             SYS_link,      SYS_unlink,   SYS_chmod,     SYS_fchmod,   SYS_openat,
                                             SYS_mkdirat,   SYS_fchmodat, SYS_unlinkat,  SYS_renameat, SYS_linkat,
                                             SYS_renameat2, SYS_flock,    SYS_fallocate};
    return std::ranges::find(kCalls, call) != std::end(kCalls);
}

// A child process that runs until it enters its `number`-th system call, from 1, that `counts` accepts.
class PausedChild {
public:
    template <class Counts, class Work>
    PausedChild(int number, const Counts& counts, Work work) : id_(::fork()) {
        REQUIRE(id_ >= 0);
        if (id_ == 0) {
            ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
            ::raise(SIGSTOP);
            ::_exit(work());
        }
        int status = 0;
        REQUIRE(::waitpid(id_, &status, 0) == id_);
        REQUIRE(WIFSTOPPED(status));
        REQUIRE(::ptrace(PTRACE_SETOPTIONS, id_, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0);
        go_on(number, counts);
    }
    ~PausedChild() { kill(); }
    PausedChild(const PausedChild&) = delete;
    PausedChild& operator=(const PausedChild&) = delete;

    bool is_paused() const noexcept { return !ended_; }  // false: the work made fewer such calls, and has ended
    int exit_code() const noexcept { return exit_code_; }

    // Lets the work go on until it enters the `number`-th such call from now, or to its end.
    template <class Counts>
    void go_on(int number, const Counts& counts) {
        int status = 0;
        for (int signal = 0;;) {
            REQUIRE(::ptrace(PTRACE_SYSCALL, id_, nullptr, signal) == 0);
            REQUIRE(::waitpid(id_, &status, 0) == id_);
            if (note_end(status))
                return;
            signal = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
            if (signal != 0)
                continue;
            enters_ = !enters_;
            user_regs_struct registers{};
            REQUIRE(::ptrace(PTRACE_GETREGS, id_, nullptr, &registers) == 0);
            if (enters_ && counts(registers.orig_rax) && --number == 0)
                return;
        }
    }
    // Lets the work go on to its end; returns what it returned.
    int finish() {
        int status = 0;
        for (int signal = 0; !ended_;) {
            REQUIRE(::ptrace(PTRACE_CONT, id_, nullptr, signal) == 0);
            REQUIRE(::waitpid(id_, &status, 0) == id_);
            note_end(status);
            signal = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
        }
        return exit_code_;
    }
    // Halves the number of bytes that the call, which must be pwrite64, is asked to write.
    void shorten_write() {
        user_regs_struct registers{};
        REQUIRE(::ptrace(PTRACE_GETREGS, id_, nullptr, &registers) == 0);
        registers.rdx = (registers.rdx + 1) / 2;
        REQUIRE(::ptrace(PTRACE_SETREGS, id_, nullptr, &registers) == 0);
    }
    void kill() {
        int status = 0;
        if (ended_)
            return;
        ::kill(id_, SIGKILL);
        while (::waitpid(id_, &status, 0) == id_ && !WIFSIGNALED(status) && !WIFEXITED(status)) {
        }
        ended_ = true;
    }

private:
    bool note_end(int status) {
        ended_ = WIFEXITED(status) || WIFSIGNALED(status);
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return ended_;
    }

    pid_t id_;
    bool enters_ = false;  // it is entering a call
    bool ended_ = false;
    int exit_code_ = -1;
};

struct FailedCall {
    bool failed = false;  // false: the work made fewer calls
    unsigned long long call = 0;
    int exit_code = 0;  // what the work returned
};

// The `number`-th call of the child's first thread, from 1, that `counts` accepts fails with `error`.
template <class Work, class Counts = bool (*)(unsigned long long)>
FailedCall fail_call(int number, int error, Work work, const Counts& counts = is_on_files) {
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
        if (enters && counts(registers.orig_rax) && ++seen == number) {
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
