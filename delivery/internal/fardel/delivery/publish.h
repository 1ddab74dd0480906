// Publishing: writes bundles into a static tree, which any file server can serve. docs/delivery.md describes the tree.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/tree_target.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::string_view kBundlesFolder = "bundles";  // of a static tree

// The path of a bundle in a static tree, "bundles/<64 digits>.fardel".
std::string tree_path_of(const BundleId& bundle);
// That of its compressed tables, "bundles/<64 digits>.tables".
std::string tables_path_of(const BundleId& bundle);

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
