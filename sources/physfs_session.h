// PhysfsSession: the turn of this library at PhysicsFS, which is one per process.
//
// It is initialised for the first session and shut down after the last one, counted under a lock, from any threads.
// PhysicsFS locks its own state; what is mounted is kept apart by mount points (physfs_archive.h). If somebody else in
// the process has initialised it, there is no session: their search path is not ours to touch, nor can we know how long
// it lasts.
#pragma once

#include <fardel/format/result.h>

#include <memory>
#include <string_view>

namespace fardel {

class PhysfsSession {
public:
    // Errors: busy (initialised by somebody else), io.
    static Result<std::shared_ptr<const PhysfsSession>> open();
    ~PhysfsSession();
    PhysfsSession(const PhysfsSession&) = delete;
    PhysfsSession& operator=(const PhysfsSession&) = delete;

private:
    PhysfsSession() = default;
};

// What went wrong in this thread's last call of PhysicsFS, as "<what>: <its words>".
Error physfs_error(std::string_view what);

}  // namespace fardel
