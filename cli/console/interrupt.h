// Interrupt: while it lives, the first Ctrl-C (SIGINT, SIGTERM, SIGHUP) asks the work to stop instead of ending the
// process, so that nothing half done is left; a second one ends it at once. One at a time.
#pragma once

#include <csignal>
#include <stop_token>
#include <thread>

namespace fardel {

class Interrupt {
public:
    Interrupt();
    ~Interrupt();  // the signals do again what they did before
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const noexcept { return stop_.get_token(); }

    // The signal that came while one lived, or 0.
    static int caught() noexcept;
    // Ends the process as that signal would have, so that a shell's loop ends too.
    [[noreturn]] static void die_of(int signal);

private:
    static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
    std::stop_source stop_;
    int wake_[2] = {-1, -1};  // handler → thread
    struct sigaction before_[3] = {};
    std::thread watcher_;
};

}  // namespace fardel
