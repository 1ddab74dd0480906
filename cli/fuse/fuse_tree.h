// FuseTree: answers what a kernel asks about a mounted file system from a Vfs: read-only, nothing ever changes.
//
// Published names are symbolic links with relative targets, so that they work below any folder. Inode numbers, times
// and sizes depend on nothing but content and paths; everything belongs to whoever runs this. Any number of threads may
// ask.
#pragma once

#include <fardel/vfs/vfs.h>

#include <cstdint>

struct fuse_operations;

namespace fardel {

struct FuseTree {
    const Vfs& vfs;              // must live as long; nobody mounts or unmounts
    std::uint64_t stored_bytes;  // of all its bundles; what `df` shows
};

// For fuse_new(), whose private data is a FuseTree.
const fuse_operations& fuse_tree_operations() noexcept;

}  // namespace fardel
