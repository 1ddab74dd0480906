// Vfs::read_files(): opens many paths, and reads their files on all threads of the executor.
#include "files/file_batch.h"
#include "vfs_state.h"

#include <fardel/base/executor.h>
#include <fardel/format/block_cache.h>

#include <memory>

namespace fardel {

Status Vfs::read_files(std::span<const LookUp> wanted, const BatchReceiver& receive,
                       const BatchOptions& options) const {
    const auto make_room = [cache = impl_->cache](std::size_t size_bytes) {
        return cache ? cache->make_room(size_bytes) : std::make_shared_for_overwrite<std::byte[]>(size_bytes);
    };
    const auto batch = std::make_shared<FileBatch>(options, make_room);
    for (const LookUp& one : wanted)
        batch->add(open(one));
    return batch->hand_out(impl_->executor.get(), receive);
}

}  // namespace fardel
