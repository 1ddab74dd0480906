#include "bundles/block_index.h"

#include "bundles/record_source.h"

#include <fardel/format/bundle.h>
#include <fardel/format/head.h>

namespace fardel {

Result<BlockIndex> BlockIndex::build(const StoreFolder& folder) {
    BlockIndex index;
    FARDEL_TRY_ASSIGN(const auto ids, folder.list_records());
    for (const BundleId& id : ids)
        if (const auto record = folder.find_record(id); record && *record)
            index.add(folder, **record);
    return index;
}

void BlockIndex::add(const StoreFolder& folder, const StoreRecord& record) {
    auto source = open_record_source(folder, record);
    if (!source)
        return;
    const auto bundle = Bundle::open(*std::move(source), {});
    if (!bundle)
        return;
    const std::uint64_t blocks_offset = (*bundle)->layout_head().blocks_offset;
    const std::uint64_t count = (*bundle)->table_count(TableKind::blocks);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto block = (*bundle)->block(i);
        if (!block)
            return;
        const std::uint64_t offset = blocks_offset + block->stored_offset;
        if (const StoreExtent* const extent = record.find(offset, block->stored_bytes))
            blocks_.try_emplace(block->stored_hash,
                                StoredBlock{.pack = record.packs[extent->pack],
                                            .pack_offset = extent->pack_offset + (offset - extent->file_offset),
                                            .stored_bytes = block->stored_bytes});
    }
}

const StoredBlock* BlockIndex::find(const Hash& stored_hash) const {
    const auto found = blocks_.find(stored_hash);
    return found == blocks_.end() ? nullptr : &found->second;
}

}  // namespace fardel
