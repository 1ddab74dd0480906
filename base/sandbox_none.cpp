// For systems without a supported way to confine programs.

#include <fardel/base/sandbox.h>

#include <sys/wait.h>

namespace fardel {

Result<Sandbox> Sandbox::make(const SandboxRules&) { return Sandbox(); }
bool Sandbox::enter(int) const noexcept { return true; }
bool Sandbox::may_need_keeper() const noexcept { return false; }
int Sandbox::receive_requests(int) noexcept { return -1; }
int Sandbox::wait_for_signal(const sigset_t& awaited, int) const noexcept {
    int received = 0;
    ::sigwait(&awaited, &received);
    return received;
}
bool system_can_confine() noexcept { return false; }

void adopt_orphans(int) noexcept {}
void kill_children() noexcept {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
}
void close_rest_on_exec() noexcept {}

}  // namespace fardel
