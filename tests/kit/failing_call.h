// Work in child processes, which are stopped or killed at their n-th system call, or in which that call fails without
// being executed, or during which a folder is moved away; for n = 1, 2, 3 … until the work makes fewer calls.
#pragma once

#include "paused_child.h"
#include "test.h"

#include <fardel/base/sanitizers.h>
#include <fardel/base/system_error.h>

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <vector>

namespace fardel::tests {

// What a child returns for an outcome: 0, or one more than its error's code.
constexpr int exit_code_of(ErrorCode code) { return 1 + static_cast<int>(code); }
template <class Outcome>
int exit_code_of(const Outcome& outcome) {
    return outcome ? 0 : exit_code_of(outcome.error().code());
}

// Whether a child has succeeded or ended with one of these errors.
inline bool is_end(int exit_code, std::initializer_list<ErrorCode> codes) {
    return exit_code == 0 ||
           std::ranges::any_of(codes, [&](ErrorCode code) { return exit_code == exit_code_of(code); });
}

// Starts a child process that waits to be traced; then it does `work()` and ends with what that returns.
template <class Work>
pid_t start_traced(Work work) {
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
    REQUIRE_MESSAGE(::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0,
                    "system calls of a child must be traceable");
    return child;
}

inline void kill_traced(pid_t child) {
    ::kill(child, SIGKILL);
    for (int status = 0; ::waitpid(child, &status, 0) == child && !WIFSIGNALED(status) && !WIFEXITED(status);) {
    }
}

// A kill finds what is on disk, of which a sanitizer sees no more than other builds: with one, cases take every seventh
// call.
inline constexpr int kKillStep = kSanitized ? 7 : 1;

// Kills a child process (SIGKILL) as it enters its `number`-th system call of any kind. Returns false if the work ended
// before that.
template <class Work>
bool kill_at_call(int number, Work work) {
    const pid_t child = start_traced(work);
    for (int stops = 0; stops < 2 * number - 1; ++stops) {  // one as it enters, one as it leaves
        int status = 0;
        REQUIRE(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0);
        REQUIRE(::waitpid(child, &status, 0) == child);
        if (WIFEXITED(status))
            return false;
        REQUIRE(WIFSTOPPED(status));
    }
    kill_traced(child);
    return true;
}

// Calls run(1), run(2), run(3) … until one returns false: the work made fewer calls. Returns the number of runs plus
// one. Fails the test after `runs_max`.
template <class Run>
int for_each_call(int runs_max, Run run) {
    int number = 1;
    for (bool reached = true; reached; ++number) {
        CAPTURE(number);
        REQUIRE(number < runs_max);
        reached = run(number);
    }
    return number;
}

// Says that a case is left out where calls cannot fail on purpose.
inline void skip_failing_calls() {
#if defined(__x86_64__)
    MESSAGE("SKIPPED: the calls of a sanitizer would count, too");
#else
    MESSAGE("SKIPPED: system calls are traced on x86-64 alone");
#endif
}

#if defined(FARDEL_CAN_FAIL_CALLS)

inline bool is_on_files(unsigned long long call) {
    constexpr unsigned long long kCalls[] = {
        SYS_read,       SYS_write,           SYS_close,    SYS_fstat,      SYS_lseek,     SYS_pread64,   SYS_pwrite64,
        SYS_fcntl,      SYS_flock,           SYS_fsync,    SYS_fdatasync,  SYS_ftruncate, SYS_rename,    SYS_mkdir,
        SYS_link,       SYS_unlink,          SYS_fchmod,   SYS_getdents64, SYS_fadvise64, SYS_openat,    SYS_mkdirat,
        SYS_newfstatat, SYS_unlinkat,        SYS_renameat, SYS_linkat,     SYS_faccessat, SYS_utimensat, SYS_fallocate,
        SYS_renameat2,  SYS_copy_file_range, SYS_statx,    SYS_openat2};
    return std::ranges::find(kCalls, call) != std::end(kCalls);
}

// Whether the call may change files or names: between two such calls, a kill finds the same state on disk.
inline bool changes_files(unsigned long long call) {
    constexpr unsigned long long kCalls[] = {SYS_write,     SYS_pwrite64, SYS_ftruncate, SYS_rename,   SYS_mkdir,
                                             SYS_link,      SYS_unlink,   SYS_chmod,     SYS_fchmod,   SYS_openat,
                                             SYS_mkdirat,   SYS_fchmodat, SYS_unlinkat,  SYS_renameat, SYS_linkat,
                                             SYS_renameat2, SYS_flock,    SYS_fallocate, SYS_openat2};
    return std::ranges::find(kCalls, call) != std::end(kCalls);
}

struct FailedCall {
    int number = 0;
    int error = 0;
    bool failed = false;  // false: the work made fewer calls
    unsigned long long call = 0;
    int exit_code = 0;  // what the work returned

    // Whether the work has succeeded, or ended with the error of the call or one of these.
    bool is_end(std::initializer_list<ErrorCode> others = {}) const {
        return exit_code == exit_code_of(error_code_of(error)) || tests::is_end(exit_code, others);
    }
};

// The `number`-th call of the child's first thread, from 1, that `counts` accepts fails with `error`.
template <class Work, class Counts = bool (*)(unsigned long long)>
FailedCall fail_call(int number, int error, Work work, const Counts& counts = is_on_files) {
    PausedChild child(number, counts, work);
    FailedCall outcome{.number = number, .error = error, .failed = child.is_paused()};
    if (outcome.failed)
        outcome.call = child.fail_call(error);
    outcome.exit_code = outcome.failed ? child.finish() : child.exit_code();
    REQUIRE_MESSAGE(outcome.exit_code >= 0, "the child was killed by a signal");
    return outcome;
}

// ---- Loops over the calls of some work ------------------------------------------------------------------------------

// In each run, `prepare()` comes first, and the child that does `work()` is killed as it enters a call that `counts`;
// then verify(number, has_ended).
template <class Prepare, class Work, class Verify, class Counts = bool (*)(unsigned long long)>
int kill_at_each_call(int runs_max, Prepare prepare, Work work, Verify verify, const Counts& counts = changes_files) {
    return for_each_call(runs_max, [&](int number) {
        prepare();
        bool paused = false;
        {
            const PausedChild child(number, counts, work);
            paused = child.is_paused();
            CHECK((paused || child.exit_code() == 0));
        }
        verify(number, !paused);
        return paused;
    });
}

// In each run, `prepare()` comes first, and a call that `counts` fails in the child that does `work()`; then
// verify(FailedCall). Each call fails with one of the errors, in turn.
template <class Prepare, class Work, class Verify, class Counts = bool (*)(unsigned long long)>
int fail_each_call(int runs_max, const std::vector<int>& errors, Prepare prepare, Work work, Verify verify,
                   const Counts& counts = is_on_files) {
    return for_each_call(runs_max, [&](int number) {
        const int error = errors[static_cast<std::size_t>(number) % errors.size()];
        CAPTURE(error);
        prepare();
        const FailedCall outcome = fail_call(number, error, work, counts);
        CAPTURE(outcome.call);
        CAPTURE(outcome.exit_code);
        verify(outcome);
        return outcome.failed;
    });
}

// A folder that is elsewhere as long as the object lives, and must not be made again meanwhile.
class AwayFolder {
public:
    explicit AwayFolder(const std::string& folder) : folder_(folder) {
        std::filesystem::rename(folder_, folder_ + ".away");
    }
    ~AwayFolder() {
        CHECK_FALSE(std::filesystem::exists(folder_));
        std::filesystem::remove_all(folder_);
        std::filesystem::rename(folder_ + ".away", folder_);
    }
    AwayFolder(const AwayFolder&) = delete;
    AwayFolder& operator=(const AwayFolder&) = delete;

private:
    const std::string folder_;
};

// Runs `work(folder)` in a child process once per call of its first thread that changes files. As the call begins,
// `move(child, number)` does something to the folder, which `prepare(folder)` has made, and returns the exit code of
// the child; then `verify(folder, exit_code)` follows.
template <class Prepare, class Work, class Move, class Verify>
void for_each_changing_call(const std::string& folder, Prepare prepare, Work work, Move move, Verify verify) {
    for_each_call(2000, [&](int number) {
        std::filesystem::remove_all(folder);
        prepare(folder);
        PausedChild child(number, changes_files, [&] { return work(folder); });
        const bool paused = child.is_paused();
        const int exit_code = paused ? move(child, number) : child.finish();
        CAPTURE(exit_code);
        verify(folder, exit_code);
        return paused;
    });
}

// The folder is away until the child ends. Returns the number of runs that did not end with 0.
template <class Prepare, class Work, class Verify>
int for_each_vanished(const std::string& folder, Prepare prepare, Work work, Verify verify) {
    int failures = 0;
    const auto move = [&](PausedChild& child, int) {
        const AwayFolder away(folder);
        const int exit_code = child.finish();
        failures += exit_code != 0 ? 1 : 0;
        return exit_code;
    };
    for_each_changing_call(folder, prepare, work, move, verify);
    return failures;
}

// The folder is back before the child ends: some calls later, from one to 13, another number for each call. Returns the
// number of runs in which it was back so early.
template <class Prepare, class Work, class Verify>
int for_each_absence(const std::string& folder, Prepare prepare, Work work, Verify verify) {
    constexpr int kCallsAway[] = {1, 2, 3, 5, 8, 13};
    int returns = 0;
    const auto move = [&](PausedChild& child, int number) {
        {
            const AwayFolder away(folder);
            child.go_on(kCallsAway[number % 6]);
            returns += child.is_paused() ? 1 : 0;
        }
        return child.finish();
    };
    for_each_changing_call(folder, prepare, work, move, verify);
    return returns;
}

#endif

}  // namespace fardel::tests
