// Publishing: writes bundles into a static tree, which any file server can serve. docs/delivery.md describes the tree.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>
#include <fardel/hosting/tree_target.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fardel {

struct Publication {
    BundleId bundle;
    std::string path;        // below the tree
    bool was_there = false;  // the file stays; only what stands beside it was written if it was missing
    std::uint64_t file_bytes = 0;
    std::size_t added_signatures = 0;  // envelopes that it has and the tree had not
};

// Writes the file, which the caller has verified, and what stands beside it into the tree. A file appears whole or not
// at all, the tables last, so publishing may be killed and repeated. If the tree has the bundle with other signatures,
// those that it lacks are added beside its file. Errors: conflict (another layout of the bundle is published: files of
// a tree never change), limit (too many signatures), those of Bundle::open and of the target, cancelled.
Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree,
                                   const PublishWork& work = {});
// The same for a tree in a folder.
Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, const std::string& folder,
                                   const PublishWork& work = {});

// Says of which channels of the tree the newest release has a newer version of the bundle's name: sentences, safe to
// show. Channels that cannot be read are passed over. Lists the channels, so ask it of trees that are near.
std::vector<std::string> find_newer_versions(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree);

// Returns what publish_bundle() would do, from the size of the file that is there; writes nothing. Error: conflict (it
// has another layout), those of Bundle::open and of the target.
Result<Publication> plan_publication(const std::shared_ptr<const ByteSource>& file, TreeTarget& tree);

}  // namespace fardel
