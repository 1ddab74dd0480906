// FuseTree: answers the kernel's requests for a mounted file system from a Vfs. It is read-only.
//
// Published names are symbolic links with relative targets, so that they work below any folder, or files. Inode
// numbers, times and sizes depend only on content and paths; all files belong to the user who runs the program. Any
// number of threads may ask.
#pragma once

#include <fardel/vfs/vfs.h>

#include <cstdint>

struct fuse_operations;

namespace fardel {

struct FuseTree {
    const Vfs& vfs;              // must outlive the mount
    std::uint64_t stored_bytes;  // of all its bundles, for `df`
    bool changes = false;        // its mounts change: the kernel keeps content, and neither names nor links
    bool links = true;           // false: published names are files. In pure mode, some content has no other path
};

// For fuse_new(), whose private data is a FuseTree.
const fuse_operations& fuse_tree_operations() noexcept;

}  // namespace fardel
