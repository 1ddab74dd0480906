#include "interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <iterator>

namespace fardel {
namespace {

std::atomic<int> caught_signal{0};
std::atomic<int> wake_end{-1};
static_assert(std::atomic<int>::is_always_lock_free);  // or a signal handler may not touch it

// Only async-signal-safe calls are allowed here. Requesting a stop is not one of them, so a thread does that.
void handle(int signal) {
    const int before = errno;
    caught_signal = signal;
    const char byte = 1;
    if (::write(wake_end, &byte, 1) < 0)
        errno = before;  // the pipe is full, so the thread is awake
    errno = before;
}

}  // namespace

Interrupt::Interrupt() {
    if (::pipe2(wake_, O_CLOEXEC) != 0)
        return;  // no descriptors left: Ctrl-C ends the program as usual
    wake_end = wake_[1];
    watcher_ = std::thread([this] {
        char byte = 0;
        ssize_t count;
        do {
            count = ::read(wake_[0], &byte, 1);
        } while (count < 0 && errno == EINTR);
        if (count == 1 && byte == 1)
            stop_.request_stop();
    });
    struct sigaction action {};
    action.sa_handler = handle;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        ::sigaction(kSignals[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN)  // ignored under nohup and in a shell's background jobs
            ::sigaction(kSignals[i], &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    if (!watcher_.joinable())
        return;
    for (std::size_t i = 0; i < std::size(kSignals); ++i)
        ::sigaction(kSignals[i], &before_[i], nullptr);
    wake_end = -1;
    const char byte = 0;
    while (::write(wake_[1], &byte, 1) < 0 && errno == EINTR) {
    }
    watcher_.join();
    ::close(wake_[0]);
    ::close(wake_[1]);
}

int Interrupt::caught() noexcept { return caught_signal; }

void Interrupt::die_of(int signal) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    std::_Exit(128 + signal);
}

}  // namespace fardel
