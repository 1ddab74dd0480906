// Runs code with few threads, or as another user than root, because root can read every file.
#pragma once

#include "emulator.h"
#include "files.h"

#include <fardel/base/sanitizers.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace fardel::tests {

// Whether code can run with few threads; says if not.
inline bool can_limit_threads() {
    if (kSanitized)
        MESSAGE("SKIPPED: the memory of a sanitizer leaves no room for a limit on address space");
    return !kSanitized && !is_left_out_in_emulator("no limit on address space holds");
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

// While it exists, the process has the rights of the unprivileged user `nobody`.
class Unprivileged {
public:
    Unprivileged() { step_down(); }
    // Lets the user enter `folder`.
    explicit Unprivileged(const ScratchFolder& folder) {
        REQUIRE(::chmod(folder.root().c_str(), 0755) == 0);
        step_down();
    }
    ~Unprivileged() {
        if (was_root_)
            REQUIRE(::seteuid(0) == 0);
    }
    Unprivileged(const Unprivileged&) = delete;
    Unprivileged& operator=(const Unprivileged&) = delete;

private:
    void step_down() const {
        if (was_root_)
            REQUIRE(::seteuid(65534) == 0);
    }

    bool was_root_ = ::geteuid() == 0;
};

}  // namespace fardel::tests
