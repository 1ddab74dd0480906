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

Result<bool> DamagedCopy::write_block(IncomingBundle& incoming, std::uint64_t offset, const BlockRecord& block) const {
    if (!copy_ || !fits(offset, block.stored_bytes, copy_->size_bytes()))
        return false;
    std::vector<std::byte> bytes(block.stored_bytes);
    if (!copy_->read_at(offset, bytes) || blake3(bytes) != block.stored_hash)
        return false;
    FARDEL_TRY(incoming.write(offset, bytes));
    return true;
}

}  // namespace fardel
