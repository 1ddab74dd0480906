// A ByteSource as a PHYSFS_Io: PhysicsFS reads archives and files through it and never opens a file.
#pragma once

#include <fardel/format/byte_source.h>

struct PHYSFS_Io;

namespace fardel {

// With an error in place of the bytes, every read fails with it. The caller destroys the io, or PhysicsFS after it has
// taken it.
PHYSFS_Io* make_physfs_io(Result<std::shared_ptr<const ByteSource>> bytes);

// Sets PhysicsFS's error of this thread to the nearest code.
void set_physfs_error(const Error& error) noexcept;

}  // namespace fardel
