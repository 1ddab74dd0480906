// What all parts of one fetch use. What it refers to outlives them.
#pragma once

#include "fetch/library_blocks.h"

#include <fardel/delivery/fetch_bundles.h>
#include <fardel/http/range_client.h>
#include <fardel/store/bundle_store.h>

#include <string>
#include <vector>

namespace fardel {

struct FetchContext {
    const BundleStore& store;
    RangeClient& client;
    const std::vector<std::string>& trees;  // complete URLs without '/' at the end
    LibraryBlocks& library_blocks;
    const FetchOptions& options;
};

}  // namespace fardel
