// The state of a Listing: the walk over its folder.
#pragma once

#include "folder_walk.h"

#include <fardel/vfs/listing.h>

namespace fardel {

struct Listing::Impl {
    FolderWalk walk;
    bool over = false;
};

}  // namespace fardel
