// Sandbox: limits what a program can access, as far as the system supports that, and ends its descendants with it.
//
// Files are limited by Landlock, and by a mount namespace in which nothing else can be changed; where the system gives
// none, a keeper makes changes of modes, owners and times. A filter allows the system calls of a list; it also works
// without Landlock. A sandbox that is not made by
// `make` limits nothing.
//
// It is created before the program is started. `enter` and the functions below are called in the forked child, where
// allocating and locking are forbidden.
#pragma once

#include <fardel/base/descriptor.h>

#include <fardel/base/result.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

struct SandboxRules {
    std::vector<std::string> readable;    // files, and folders with their contents; paths that do not exist are ignored
    std::vector<std::string> read_write;  // the same, and devices
    std::vector<std::string> unstartable;  // readable as well, but no program in them may be started
    std::vector<std::string> listable;     // folders: names in them and below may be listed, but no file may be read
    bool own_process = false;              // the program may read its own folder of /proc; what it starts may not
    bool fixed_attributes = false;         // modes, owners, times and attributes cannot be changed, of no file
};

class Sandbox {
public:
    // Errors: denied, io (the system supports confinement but refuses these rules).
    static Result<Sandbox> make(const SandboxRules& rules);

#ifndef _WIN32  // where no process becomes two
    // Confines this process and everything that it starts from now on. Returns false and sets errno if that fails.
    // Leaves a descriptor open if the rules have `own_process`. The current folder is to be chosen afterwards: files
    // below one that was chosen before cannot be changed.
    // `keeper`: a socket from whose other end receive_requests reads, or -1.
    bool enter(int keeper = -1) const noexcept;

    // Whether a keeper may have to make changes of modes, owners and times for the program: if the system gives it no
    // mount namespace.
    bool may_need_keeper() const noexcept;
    // In the keeper. Waits until the child has called `enter`, and returns what wait_for_signal needs, or -1.
    static int receive_requests(int program) noexcept;
    // Waits for a signal of `awaited`, all of which are blocked, returns it, and answers requests meanwhile.
    int wait_for_signal(const sigset_t& awaited, int requests) const noexcept;
#endif

private:
    Status allow(const std::string& path, std::uint64_t rights, bool writable = false);
    bool enter_rules(bool& has_mounts) const noexcept;

    bool limits_ = false;
    bool own_process_ = false;
    bool fixed_attributes_ = false;
    bool has_mounts_ = false;
    Descriptor rules_;                   // empty: the system cannot confine
    std::vector<std::string> writable_;  // files and folders, no devices
};

// The number of processes and threads of a sandbox, where the system counts them for it alone: Linux 5.19 and later,
// unless root runs it.
inline constexpr std::uint64_t kSandboxProcessesMax = 4096;

// Whether this system limits which files a sandboxed program may access.
bool system_can_confine() noexcept;

#ifndef _WIN32
// Makes this process the parent of all orphaned descendants, and sends it SIGTERM when `parent` ends.
void adopt_orphans(int parent) noexcept;
// Kills and reaps all children and their orphans, until none is left.
void kill_children() noexcept;
// Makes an exec close all descriptors except the standard ones.
void close_rest_on_exec() noexcept;
#endif

}  // namespace fardel
