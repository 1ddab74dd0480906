// The state of a Listing: one of the three walks.
#pragma once

#include "folder_walk.h"
#include "id_walk.h"

#include <fardel/vfs/listing.h>

#include <variant>

namespace fardel {

struct Listing::Impl {
    std::variant<FolderWalk, AssetIdWalk, BundleIdWalk> walk;
    bool over = false;
};

}  // namespace fardel
