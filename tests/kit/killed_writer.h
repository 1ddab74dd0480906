// A child process that is killed (SIGKILL) as it enters its n-th system call.
#pragma once

#include <doctest/doctest.h>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace fardel::tests {

// Returns false if the work ended before that.
template <class Work>
bool kill_at_call(int number, Work work) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        ::raise(SIGSTOP);
        work();
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSTOPPED(status));
    for (int stops = 0; stops < 2 * number - 1; ++stops) {  // one as it enters, one as it leaves
        REQUIRE_MESSAGE(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr) == 0,
                        "system calls of a child must be traceable");
        REQUIRE(::waitpid(child, &status, 0) == child);
        if (WIFEXITED(status))
            return false;
        REQUIRE(WIFSTOPPED(status));
    }
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) == child && !WIFSIGNALED(status) && !WIFEXITED(status)) {
    }
    return true;
}

}  // namespace fardel::tests
