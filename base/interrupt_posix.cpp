#include <fardel/base/interrupt.h>

#include "system_call.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace fardel {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<int> caught_signal{0};
std::atomic<int> wake_end{-1};
static_assert(std::atomic<int>::is_always_lock_free);  // otherwise a signal handler could not use it

// Only async-signal-safe calls are allowed here. Requesting a stop is not one of them, so a thread does that.
void handle(int signal) {
    caught_signal = signal;
    write_byte(wake_end, 1);  // fails if the pipe is full, but then the thread is awake
}

}  // namespace

struct Interrupt::Handlers {
    struct sigaction actions[std::size(kSignals)] = {};
};

Interrupt::Interrupt() : before_(std::make_unique<Handlers>()) {
    auto wake = open_pipe();
    if (!wake)
        return;  // no descriptors are left; Ctrl-C then ends the program as usual
    wake_ = *std::move(wake);
    wake_end = wake_.write_end.number();
    watcher_ = std::thread([this] {
        char byte = 0;
        if (repeat([&] { return ::read(wake_.read_end.number(), &byte, 1); }) == 1 && byte == 1)
            stop_.request_stop();
    });
    struct sigaction action {};
    action.sa_handler = handle;
    // The second Ctrl-C ends the program at once.
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
        ::sigaction(kSignals[i], nullptr, &before_->actions[i]);
        if (before_->actions[i].sa_handler != SIG_IGN)  // ignored under nohup and in a shell's background jobs
            ::sigaction(kSignals[i], &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    if (!watcher_.joinable())
        return;
    for (std::size_t i = 0; i < std::size(kSignals); ++i)
        ::sigaction(kSignals[i], &before_->actions[i], nullptr);
    wake_end = -1;
    write_byte(wake_.write_end.number(), 0);
    watcher_.join();
}

int Interrupt::caught() noexcept { return caught_signal; }

void Interrupt::die_of(int signal) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);
    std::_Exit(128 + signal);
}

}  // namespace fardel
