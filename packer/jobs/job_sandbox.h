// JobSandbox: what a program may reach, as far as the system can hold it to that. And that nothing it started outlives
// it.
//
// Made before the program is started; `enter` and what stands below it are called in the forked child, where nothing
// may allocate or lock.
#pragma once

#include "system_descriptor.h"

#include <fardel/format/result.h>

#include <string>
#include <vector>

namespace fardel {

struct SandboxRules {
    std::vector<std::string> readable;     // files and folders with all in them; those that are not there are left out
    std::vector<std::string> read_write;   // the same, and devices
    std::vector<std::string> unstartable;  // readable as well, but no program in them may be started
};

class JobSandbox {
public:
    // Errors: denied, io: the system can confine, and refuses these rules.
    static Result<JobSandbox> make(const SandboxRules& rules);

    // From here on this process and all that it starts keep to the rules. False, with errno: they do not.
    bool enter() const noexcept;

private:
    SystemDescriptor rules_;  // none: the system cannot confine
};

bool system_can_confine() noexcept;

// This process becomes the parent of all that its descendants leave behind, and is told SIGTERM when `parent` ends.
void adopt_orphans(int parent) noexcept;
// Kills and reaps all children, and what they leave behind, until there are none.
void kill_children() noexcept;
// No descriptor but the standard ones passes an exec.
void close_rest_on_exec() noexcept;

}  // namespace fardel
