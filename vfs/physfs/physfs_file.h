// A PHYSFS_Io over a File, or over the error of opening it.
//
// Why errors open: PhysicsFS takes a failed open for "not in this archive" and asks the next one. A damaged name must
// not become another archive's file, so it opens, and then every read of it fails.
#pragma once

#include <fardel/format/result.h>
#include <fardel/vfs/file.h>

struct PHYSFS_Io;

namespace fardel {

// The caller owns it and calls destroy().
PHYSFS_Io* make_physfs_file(Result<File> file);

// Sets PhysicsFS's error of this thread to the nearest code.
void set_physfs_error(const Error& error) noexcept;

}  // namespace fardel
