#include "fetch/block_supplier.h"

namespace fardel {

Result<std::vector<bool>> held_blocks(const BlockTarget& target) {
    std::vector<bool> held(static_cast<std::size_t>(target.bundle->table_count(TableKind::blocks)));
    for (std::uint32_t i = 0; i < held.size(); ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, target.bundle->block(i));
        held[i] = target.holds(block);
    }
    return held;
}

}  // namespace fardel
