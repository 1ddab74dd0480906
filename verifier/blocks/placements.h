// Which asset lies where in the blocks: the placements, proved to fill the blocks without overlap.
#pragma once

#include "findings/findings.h"
#include "tables/tables.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// One asset's place. Of one block: `offset` and `bytes` in its raw bytes. Of several: one piece a block.
struct Tenant {
    std::uint32_t first_block = 0;
    std::uint32_t offset = 0;
    std::uint32_t block_count = 0;
    std::uint32_t asset = 0;
    std::uint64_t bytes = 0;
};

// Those tenants whose place is sound, by block and offset: they overlap nowhere, so all of them together are no longer
// than the blocks. Empty assets are not among them.
std::vector<Tenant> check_placements(const Tables& tables, Findings& findings);

// The tenants of one block, out of what check_placements gave.
std::span<const Tenant> tenants_of(std::span<const Tenant> tenants, std::uint32_t block) noexcept;

}  // namespace fardel
