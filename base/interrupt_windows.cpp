#include <fardel/base/interrupt.h>

#include "system_call_windows.h"

#include <atomic>
#include <csignal>
#include <mutex>
#include <utility>

namespace fardel {
namespace {

std::atomic<int> caught_signal{0};
std::mutex stop_mutex;
std::stop_source* stop_of_object = nullptr;

constexpr int kHangUp = 1;  // as SIGHUP elsewhere

int signal_of(DWORD event) noexcept {
    switch (event) {
        case CTRL_C_EVENT: return SIGINT;
        case CTRL_BREAK_EVENT: return SIGTERM;
        default: return kHangUp;  // the console is closed, or the user logs off
    }
}

// Windows calls it in a thread of its own.
BOOL WINAPI handle(DWORD event) {
    // The second Ctrl-C ends the program at once.
    if (caught_signal.exchange(signal_of(event)) != 0)
        return FALSE;
    {
        const std::scoped_lock lock(stop_mutex);
        if (stop_of_object == nullptr)
            return FALSE;
        stop_of_object->request_stop();
    }
    // The system ends the program as soon as this returns, or after some seconds.
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        ::Sleep(INFINITE);
    return TRUE;
}

}  // namespace

struct Interrupt::Handlers {};

Interrupt::Interrupt() : before_(std::make_unique<Handlers>()) {
    const std::scoped_lock lock(stop_mutex);
    stop_of_object = &stop_;
    ::SetConsoleCtrlHandler(handle, TRUE);
}

Interrupt::~Interrupt() {
    const std::scoped_lock lock(stop_mutex);
    stop_of_object = nullptr;
    ::SetConsoleCtrlHandler(handle, FALSE);
}

int Interrupt::caught() noexcept { return caught_signal; }

void Interrupt::die_of(int) {
    constexpr UINT kControlCExit = 0xc000'013a;  // what the system's own handler ends a program with
    ::ExitProcess(kControlCExit);
}

}  // namespace fardel
