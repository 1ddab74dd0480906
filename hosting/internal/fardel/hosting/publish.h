// Publishing: writes bundles into a static tree, which any file server can serve. docs/delivery.md describes the tree.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fardel {

struct Publication {
    BundleId bundle;
    std::string path;        // below the tree
    bool was_there = false;  // the same file; only its tables were written if they were missing
    std::uint64_t file_bytes = 0;
};

// Writes the file, which the caller has verified, and its compressed tables into the tree. A file appears whole or not
// at all, the tables last, so publishing may be killed and repeated. Errors: conflict (another file with this bundle id
// is published: files of a tree never change), those of Bundle::open and of the target, cancelled.
Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree,
                                   const PublishWork& work = {});
// The same for a tree in a folder.
Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, const std::string& folder,
                                   const PublishWork& work = {});

// Returns what publish_bundle() would do, from the size of the file that is there; writes nothing. Error: conflict (it
// has another size), those of Bundle::open and of the target.
Result<Publication> plan_publication(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree);

}  // namespace fardel
