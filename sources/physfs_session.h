// PhysfsSession: the use of PhysicsFS, of which a process has one instance, by this library.
//
// The first session initialises PhysicsFS and the last one shuts it down; sessions are counted under a lock, and any
// thread may open one. PhysicsFS locks its own state; archives are kept apart by their mount points (physfs_archive.h).
// If other code in the process has initialised it, no session can be opened: its search path must not be changed, and
// it may be shut down at any time.
#pragma once

#include <fardel/base/result.h>

#include <memory>
#include <string_view>

namespace fardel {

class PhysfsSession {
public:
    // Errors: busy (initialised by other code), io.
    static Result<std::shared_ptr<const PhysfsSession>> open();
    ~PhysfsSession();
    PhysfsSession(const PhysfsSession&) = delete;
    PhysfsSession& operator=(const PhysfsSession&) = delete;

private:
    PhysfsSession() = default;
};

// The error of this thread's last call of PhysicsFS, as "<what>: <its words>".
Error physfs_error(std::string_view what);

}  // namespace fardel
