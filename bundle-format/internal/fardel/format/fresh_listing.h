// Listings of folders on network file systems, where the names that other computers added may be missing for a while.
#pragma once

#include <fardel/base/file_path.h>
#include <fardel/base/result.h>

namespace fardel {

// From now on, a listing of the folder has what other computers did to it before. Creates the folder, below the
// root of its path, if it does not exist. Does nothing on a file system of this computer. Errors: denied, no_space, io.
Status refresh_listing(const FilePath& folder);

}  // namespace fardel
