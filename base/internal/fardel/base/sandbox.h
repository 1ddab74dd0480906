// Sandbox: what a program may reach, as far as the system can confine it; and that nothing that it started outlives it.
//
// It is created before the program is started. `enter` and the functions below it are called in the forked child, where
// nothing may allocate or lock.
#pragma once

#include <fardel/base/descriptor.h>

#include <fardel/base/result.h>

#include <string>
#include <vector>

namespace fardel {

struct SandboxRules {
    std::vector<std::string> readable;     // files and folders with all in them; those that do not exist are left out
    std::vector<std::string> read_write;   // the same, and devices
    std::vector<std::string> unstartable;  // readable as well, but no program in them may be started
};

class Sandbox {
public:
    // Errors: denied, io: the system can confine, and refuses these rules.
    static Result<Sandbox> make(const SandboxRules& rules);

    // Confines this process and all that it starts from now on. False, with errno: they are not confined.
    bool enter() const noexcept;

private:
    Descriptor rules_;  // none: the system cannot confine
};

bool system_can_confine() noexcept;

// This process becomes the parent of all that its descendants leave behind, and receives SIGTERM when `parent` ends.
void adopt_orphans(int parent) noexcept;
// Kills and reaps all children, and what they leave behind, until there are none.
void kill_children() noexcept;
// No descriptor but the standard ones passes an exec.
void close_rest_on_exec() noexcept;

}  // namespace fardel
