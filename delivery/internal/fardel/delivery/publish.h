// Publishing: writes bundles into a static tree, which any file server can serve. docs/delivery.md describes the tree.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/ids.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace fardel {

// The path of a bundle in a static tree, "bundles/<64 digits>.fardel".
std::string tree_path_of(const BundleId& bundle);
// That of its compressed tables, "bundles/<64 digits>.tables".
std::string tables_path_of(const BundleId& bundle);

struct PublishWork {
    std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress;
    std::stop_token stop;
};

struct Publication {
    BundleId bundle;
    std::string path;        // below the tree
    bool was_there = false;  // the same file; only its tables were written if they were missing
    std::uint64_t file_bytes = 0;
};

// Writes the file, which the caller has verified, and its compressed tables into the tree in the folder, which is
// created if it is missing. A file appears whole or not at all, the tables last, so publishing may be killed and
// repeated. Errors: conflict (another file with this
// bundle id is published: files of a tree never change), those of Bundle::open, cancelled, denied, no_space, io.
Result<Publication> publish_bundle(const std::shared_ptr<const ByteSource>& file, const std::string& folder,
                                   const PublishWork& work = {});

}  // namespace fardel
