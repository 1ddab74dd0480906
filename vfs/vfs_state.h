// What a Vfs is made of: the snapshot that readers see, and what those who change it share.
#pragma once

#include <fardel/sources/folder_watch.h>
#include "lookup/asset_verdicts.h"
#include "mounts/mount_content.h"
#include "mounts/mount_set.h"
#include "mounts/snapshot.h"
#include "pure_lock.h"

#include <fardel/vfs/vfs.h>

#include <map>
#include <memory>
#include <mutex>

namespace fardel {

struct Vfs::Impl {
    struct Watch {
        std::unique_ptr<FolderWatch> folder;
        bool pending = false;  // something changed that is not in the tree yet
    };

    std::shared_ptr<BlockCache> cache;  // nullptr: none
    std::shared_ptr<DigestCache> digests = std::make_shared<DigestCache>();
    Snapshot<MountSet> set{std::make_shared<const MountSet>()};
    mutable AssetVerdicts verdicts;

    std::mutex writing;  // guards what follows and the order of changes; no reader takes it
    std::shared_ptr<const MountSet> mounted = set.share();  // everything; `set` is what of it is visible
    std::unique_ptr<PureLock> pure;                         // nullptr: everything is
    std::uint32_t last_mount = 0;
    std::uint32_t last_content = 0;
    std::map<MountId, Watch> watches;

    // Those below are called with the lock held.
    Result<ContentNumber> next_content();
    // The old set comes back, to be let go of after the lock.
    Result<std::shared_ptr<const MountSet>> change(MountSetChange change);
    std::shared_ptr<const MountSet> show(std::shared_ptr<const MountSet> next);
    Result<std::vector<AssetChange>> refresh(const Mount& mount, std::shared_ptr<const MountSet>& old);
};

}  // namespace fardel
