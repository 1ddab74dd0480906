// An object as a PHYSFS_Io: how what has no file reaches an archiver of ours through PHYSFS_mountIo(). Other archivers
// may read it first; for them it is an empty file.
#pragma once

#include <memory>

struct PHYSFS_Io;

namespace fardel {

struct PhysfsToken {
    virtual ~PhysfsToken() = default;
};

// The caller destroys the io, or PhysicsFS after it has taken it.
PHYSFS_Io* make_token_io(std::shared_ptr<const PhysfsToken> token);
// nullptr: not made by make_token_io().
std::shared_ptr<const PhysfsToken> find_token(const PHYSFS_Io* io);

}  // namespace fardel
