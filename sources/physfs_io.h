// A ByteSource as PhysicsFS wants its archives: the only thing between it and the disk.
#pragma once

#include <fardel/format/byte_source.h>

#include <memory>

struct PHYSFS_Io;

namespace fardel {

// The caller, or PhysicsFS after a successful mount, calls destroy on it.
PHYSFS_Io* make_physfs_io(std::shared_ptr<const ByteSource> bytes);

}  // namespace fardel
