// Opens the content of a mount: a bundle file, or a bundle built in memory over a folder, an archive or a plan.
#pragma once

#include "mount_set.h"

#include <fardel/base/result.h>
#include <fardel/format/block_cache.h>
#include <fardel/format/unpacked_bundle.h>
#include <fardel/vfs/mount.h>

#include <memory>

namespace fardel {

// Sets everything except the number. `options.label` is not empty. Errors: those of Vfs::mount.
Result<MountContent> open_mount_content(const MountSubject& subject, const MountOptions& options,
                                        const std::shared_ptr<BlockCache>& cache,
                                        const std::shared_ptr<DigestCache>& digests);

// Scans the folder or archive of a mount again. Errors: those of scan_sources and make_unpacked_source.
Result<MountContent> rescan(const Mount& mount, const std::shared_ptr<BlockCache>& cache,
                            const std::shared_ptr<DigestCache>& digests);

}  // namespace fardel
