// ContentWatch: notices that what a mount was made from has changed, and opens it again; the seam behind Vfs::poll.
//
// Folders report their changes themselves, projects know their inputs, and bundle files are compared by their stamps.
// One thread at a time.
#pragma once

#include "mount_content.h"

#include <fardel/base/result.h>
#include <fardel/vfs/mount.h>

#include <cstdint>
#include <memory>

namespace fardel {

class ContentWatch {
public:
    virtual ~ContentWatch() = default;
    // Whether something changed since the last call; does not wait. Errors: those of FolderWatch.
    virtual Result<bool> take_change() = 0;
    // Errors: those of open_mount_content.
    virtual Result<MountContent> reopen(const MountContent& old, const std::shared_ptr<BlockCache>& cache,
                                        const FolderDigests& digests) = 0;

    // What an error of reopen(), or of what follows, means. `changed`: what take_change() had returned.
    enum class Verdict : std::uint8_t {
        later,  // it is being written: no error, and the next poll tries again
        again,  // an error, and the next poll tries again
        once    // an error, until something changes
    };
    virtual Verdict judge(const Error& error, bool changed) = 0;
};

// Watches the content of a mount that was made of `request`. Returns nullptr if it is of a kind that is not watched: a
// legacy archive, a plan, a bundle without a path. Errors: those of watch_folder.
Result<std::unique_ptr<ContentWatch>> watch_content(const MountContent& content, const MountRequest& request);

}  // namespace fardel
