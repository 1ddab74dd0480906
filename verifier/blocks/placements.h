// Checks the placements: assets must fill the blocks without gaps and without overlap.
#pragma once

#include "findings/verify_findings.h"
#include "tables/checked_tables.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// The location of an asset. If block_count is 1, the asset is `bytes` bytes from `offset` in the raw bytes of the
// block; otherwise each block is one of its pieces.
struct PlacedAsset {
    std::uint32_t first_block = 0;
    std::uint32_t offset = 0;
    std::uint32_t block_count = 0;
    std::uint32_t asset = 0;
    std::uint64_t bytes = 0;
};

// Returns the assets whose placement is valid, by block and offset. They do not overlap, so together they are no longer
// than the blocks. Empty assets are left out.
std::vector<PlacedAsset> check_placements(const CheckedTables& tables, VerifyFindings& findings);

// The part of check_placements()'s result that lies in one block.
std::span<const PlacedAsset> assets_in_block(std::span<const PlacedAsset> placed_assets, std::uint32_t block) noexcept;

}  // namespace fardel
