#include "physfs_session.h"

#include <physfs.h>

#include <cstddef>
#include <mutex>
#include <string>

namespace fardel {
namespace {

std::mutex session_lock;
std::size_t session_count = 0;

ErrorCode code_of(PHYSFS_ErrorCode code) {
    switch (code) {
        case PHYSFS_ERR_NOT_FOUND: return ErrorCode::missing;
        case PHYSFS_ERR_UNSUPPORTED:
        case PHYSFS_ERR_BAD_PASSWORD: return ErrorCode::unsupported;
        case PHYSFS_ERR_BAD_FILENAME:
        case PHYSFS_ERR_NOT_A_FILE: return ErrorCode::malformed;
        case PHYSFS_ERR_OK:  // it found fewer bytes than it had announced
        case PHYSFS_ERR_PAST_EOF:
        case PHYSFS_ERR_SYMLINK_LOOP:
        case PHYSFS_ERR_CORRUPT: return ErrorCode::corrupt;
        case PHYSFS_ERR_OUT_OF_MEMORY: return ErrorCode::limit;
        case PHYSFS_ERR_PERMISSION: return ErrorCode::denied;
        case PHYSFS_ERR_IS_INITIALIZED: return ErrorCode::busy;
        default: return ErrorCode::io;
    }
}

}  // namespace

Result<std::shared_ptr<const PhysfsSession>> PhysfsSession::open() {
    const std::lock_guard lock(session_lock);
    // PhysicsFS exists once in a process: if a game has started it for itself, this fails as `busy`. The name is used
    // only where there is no /proc.
    if (session_count == 0 && PHYSFS_init("./fardel") == 0)
        return physfs_error("PhysicsFS, which reads legacy archives, cannot start");
    ++session_count;
    return std::shared_ptr<const PhysfsSession>(new PhysfsSession);
}

PhysfsSession::~PhysfsSession() {
    const std::lock_guard lock(session_lock);
    if (--session_count == 0)
        PHYSFS_deinit();
}

Error physfs_error(std::string_view what) {
    const PHYSFS_ErrorCode code = PHYSFS_getLastErrorCode();
    const char* words = code == PHYSFS_ERR_OK ? nullptr : PHYSFS_getErrorByCode(code);
    return Error(code_of(code), std::string(what) + ": " + (words != nullptr ? words : "the data ends too early"));
}

}  // namespace fardel
