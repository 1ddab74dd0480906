// FuseTree: answers the kernel's requests for a mounted file system from a Vfs. It is read-only.
//
// Published names are files, or symbolic links with relative targets, which work below any folder. A file's inode
// number is that of its asset, whose id is the extended attribute "user.fardel.asset". Times and sizes depend only on
// content and paths; all files belong to the user who runs the program. Any number of threads may ask. The root's
// extended attribute "user.fardel.variants" is the preference for variants; switch_variants() sets another one.
#pragma once

#include <fardel/vfs/vfs.h>

#include <cstdint>
#include <functional>

struct fuse_operations;

namespace fardel {

struct FuseTree {
    Vfs& vfs;                    // must outlive the mount
    std::uint64_t stored_bytes;  // of all its bundles, for `df`
    bool changes = false;        // its mounts change: the kernel keeps neither names nor what they lead to
    bool links = false;          // published names are links; needs `ids`
    bool ids = false;            // what ids give is shown, too: the folders "assets" and "bundles"
    // Called before each request for a path, by one thread at a time: takes edits of folders in. Needs `changes`.
    std::function<void()> catch_up;
    VariantPreference preference = {};  // that the Vfs has at the start
};

// For fuse_new(), whose private data is a FuseTree.
const fuse_operations& fuse_tree_operations() noexcept;

}  // namespace fardel
