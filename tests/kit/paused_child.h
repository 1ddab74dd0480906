// A child process that does some work and pauses as its first thread enters its n-th system call of some kind. There
// it can be killed, the call can fail or write less, or the world can change before it goes on.
//
// No debugger traces it: two switches of processes at each call would take longer than most work. A filter of the
// kernel lets such calls raise SIGSYS, whose handler counts them and makes them. A program that the work starts has the
// filter and no handler, and is killed by SIGSYS.
#pragma once

#include <fardel/base/sanitizers.h>

// Not under a sanitizer, because its own calls would be counted and fail too.
#if defined(__x86_64__) && defined(__linux__) && !FARDEL_ADDRESS_SANITIZER && !FARDEL_THREAD_SANITIZER
#define FARDEL_CAN_FAIL_CALLS 1

#include <sys/types.h>

#include <functional>
#include <vector>

namespace fardel::tests {

struct CountedCalls;  // in memory that parent and child share

class PausedChild {
public:
    // `counts` says by its number whether a call counts; they are counted from 1.
    template <class Counts>
    PausedChild(int number, const Counts& counts, const std::function<int()>& work) {
        std::vector<unsigned> counted;
        for (unsigned call = 0; call < kCallsEnd; ++call)
            if (counts(call))
                counted.push_back(call);
        start(number, counted, work);
    }
    ~PausedChild();
    PausedChild(const PausedChild&) = delete;
    PausedChild& operator=(const PausedChild&) = delete;

    bool is_paused() const noexcept { return !ended_; }    // false: the work made fewer such calls, and has ended
    int exit_code() const noexcept { return exit_code_; }  // what the work returned; -1: a signal has killed it

    // Lets the work go on until it enters the `number`-th such call from now, or to its end.
    void go_on(int number);
    // Lets the work go on to its end; returns what it returned.
    int finish();
    // Halves the number of bytes that the call, which must be pwrite64, is asked to write.
    void shorten_write();
    // The call will fail with `error` without being made. Returns its number.
    unsigned long long fail_call(int error);
    void kill();

private:
    static constexpr unsigned kCallsEnd = 512;

    void start(int number, const std::vector<unsigned>& counted, const std::function<int()>& work);
    void wait();

    CountedCalls* calls_ = nullptr;
    pid_t id_ = 0;
    bool ended_ = false;
    int exit_code_ = -1;
};

}  // namespace fardel::tests

#endif
