// For systems without a supported way to confine programs.

#include <fardel/base/sandbox.h>

#include <sys/wait.h>

namespace fardel {

Result<Sandbox> Sandbox::make(const SandboxRules&) { return Sandbox(); }
bool Sandbox::enter() const noexcept { return true; }
bool system_can_confine() noexcept { return false; }

void adopt_orphans(int) noexcept {}
void kill_children() noexcept {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
}
void close_rest_on_exec() noexcept {}

}  // namespace fardel
