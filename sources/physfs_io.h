// A ByteSource as a PHYSFS_Io: PhysicsFS reads archives through it and never opens a file.
#pragma once

#include <fardel/format/byte_source.h>

#include <memory>

struct PHYSFS_Io;

namespace fardel {

// The caller destroys it, or PhysicsFS after a successful mount.
PHYSFS_Io* make_physfs_io(std::shared_ptr<const ByteSource> bytes);

}  // namespace fardel
