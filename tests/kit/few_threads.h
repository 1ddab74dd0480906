// Runs code where the system gives the process only a few threads, or none.
#pragma once

#include <fardel/base/sanitizers.h>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace fardel::tests {

inline bool can_limit_threads() {
    if (kSanitized)
        MESSAGE("SKIPPED: the memory of a sanitizer leaves no room for a limit on address space");
    return !kSanitized;
}

// Limits the address space of this process to `more_bytes` above what it uses now. Stacks of threads do not fit into
// 1 MiB, except those that earlier threads have left.
inline void limit_address_space(rlim_t more_bytes) {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more_bytes;
    const rlimit both{limit, limit};
    ::setrlimit(RLIMIT_AS, &both);
}

// Runs `check` in a child process that can start few threads. Returns 0 if it returned true.
template <class Check>
int run_with_few_threads(const Check& check) {
    const pid_t child = ::fork();
    if (child == 0) {
        limit_address_space(1u << 20);
        ::_exit(check() ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
}

}  // namespace fardel::tests
