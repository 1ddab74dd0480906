#include "fetch/stored_blocks.h"

#include <fardel/format/head.h>

namespace fardel {

Result<BlockChoice> StoredBlocks::choose(const BlockTarget& target, const std::vector<bool>& missing) {
    target_ = target.bundle;
    in_library_.assign(missing.size(), false);
    BlockChoice choice{.given = std::vector<bool>(missing.size(), false)};
    for (std::uint32_t i = 0; i < missing.size(); ++i) {
        if (!missing[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(i));
        FARDEL_TRY_ASSIGN(const bool is_shared,
                          incoming_.share(target_->layout_head().blocks_offset + block.stored_offset, block.stored_hash,
                                          block.stored_bytes));
        in_library_[i] = !is_shared && library_.has(block.stored_hash, block.stored_bytes);
        choice.given[i] = is_shared || in_library_[i];
    }
    return choice;
}

Status StoredBlocks::fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    for (const std::uint32_t i : blocks) {
        if (!in_library_[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(i));
        if (const auto bytes = library_.find(block.stored_hash, block.stored_bytes))
            FARDEL_TRY(sink.take(i, *bytes));
    }
    return ok();
}

Result<bool> share_block(IncomingBundle& incoming, LibraryBlocks& library, std::uint64_t file_offset,
                         const Hash& stored_hash, std::uint32_t stored_bytes) {
    FARDEL_TRY_ASSIGN(const bool is_shared, incoming.share(file_offset, stored_hash, stored_bytes));
    if (is_shared)
        return true;
    const auto bytes = library.find(stored_hash, stored_bytes);
    if (!bytes)
        return false;
    FARDEL_TRY(incoming.write(file_offset, *bytes));
    return true;
}

}  // namespace fardel
