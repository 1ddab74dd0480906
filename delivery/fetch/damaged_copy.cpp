#include "fetch/damaged_copy.h"

#include <fardel/base/fits.h>
#include <fardel/delivery/tables_file.h>
#include <fardel/format/hash.h>

#include <vector>

namespace fardel {

Status DamagedCopy::write_unproved(IncomingBundle& incoming, std::uint64_t offset, std::uint64_t length_bytes) const {
    std::vector<FetchUnit> units;
    add_missing_units(units, incoming, offset, length_bytes);
    std::vector<std::byte> bytes;
    for (const FetchUnit& unit : units) {
        bytes.resize(unit.length_bytes);
        if (fits(unit.offset, unit.length_bytes, copy_->size_bytes()) && copy_->read_at(unit.offset, bytes))
            FARDEL_TRY(incoming.write(unit.offset, bytes));
    }
    return ok();
}

bool DamagedCopy::read(const BlockRecord& block, std::vector<std::byte>& out) const {
    const std::uint64_t offset = target_->layout_head().blocks_offset + block.stored_offset;
    if (!fits(offset, block.stored_bytes, copy_->size_bytes()))
        return false;
    out.resize(block.stored_bytes);
    return copy_->read_at(offset, out) && blake3(out) == block.stored_hash;
}

Result<BlockChoice> DamagedCopy::choose(const BlockTarget& target, const std::vector<bool>& missing) {
    target_ = target.bundle;
    BlockChoice choice{.given = std::vector<bool>(missing.size(), false)};
    std::vector<std::byte> bytes;
    for (std::uint32_t i = 0; copy_ && i < missing.size(); ++i) {
        if (!missing[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(i));
        choice.given[i] = read(block, bytes);
    }
    chosen_ = choice.given;
    return choice;
}

Status DamagedCopy::fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    std::vector<std::byte> bytes;
    for (const std::uint32_t i : blocks) {
        if (!chosen_[i])
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(i));
        if (read(block, bytes))
            FARDEL_TRY(sink.take(i, bytes));
    }
    return ok();
}

}  // namespace fardel
