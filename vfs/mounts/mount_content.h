// Opens the content of a mount: a bundle file, or a bundle built in memory over a folder, an archive or a plan.
#pragma once

#include "mount_set.h"

#include <fardel/base/result.h>
#include <fardel/format/block_cache.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/vfs/mount.h>

#include <memory>
#include <string>

namespace fardel {

// Digests of the files in folders.
struct FolderDigests {
    std::shared_ptr<DigestCache> cache = std::make_shared<DigestCache>();
    std::string folder;  // VfsOptions::digest_folder
};

// Sets everything except the number. `options.label` is not empty. Errors: those of Vfs::mount.
Result<MountContent> open_mount_content(const MountSubject& subject, const MountOptions& options,
                                        const std::shared_ptr<BlockCache>& cache, const FolderDigests& digests);

// Reads a folder, archive or project again. Errors: those of open_loose_bundle and OpenProject.
Result<MountContent> rescan(const MountContent& old, const std::shared_ptr<BlockCache>& cache,
                            const FolderDigests& digests);

}  // namespace fardel
