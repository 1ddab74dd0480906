// Interrupt: while an object exists, the first Ctrl-C (SIGINT, SIGTERM, SIGHUP; on Windows, also Ctrl-Break and
// the end of the console) asks the work to stop instead of ending
// the program, so that no unfinished files stay behind; a second one ends the program at once. Only one object may
// exist at a time.
#pragma once

#include <fardel/base/pipe.h>

#include <memory>
#include <stop_token>
#include <thread>

namespace fardel {

class Interrupt {
public:
    Interrupt();
    ~Interrupt();  // restores the earlier effect of the signals
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    std::stop_token token() const noexcept { return stop_.get_token(); }

    // Returns the signal that arrived while an object existed, or 0.
    static int caught() noexcept;
    // Ends the program as that signal would have done, so that a shell loop ends, too.
    [[noreturn]] static void die_of(int signal);

private:
    struct Handlers;
    std::stop_source stop_;
    Pipe wake_;  // from the signal handler to the thread
    std::unique_ptr<Handlers> before_;
    std::thread watcher_;
};

}  // namespace fardel
