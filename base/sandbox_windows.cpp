// Windows confines programs only by accounts and app containers; confined_program_windows.cpp limits what they use.
#include <fardel/base/sandbox.h>

namespace fardel {

Result<Sandbox> Sandbox::make(const SandboxRules&) { return Sandbox(); }
bool system_can_confine() noexcept { return false; }

}  // namespace fardel
