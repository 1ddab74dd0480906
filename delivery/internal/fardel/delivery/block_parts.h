// What the blocks of a bundle contain: which bytes of which assets.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// Bytes of an asset in a block.
struct BlockPart {
    std::uint32_t block = 0;
    std::uint32_t offset = 0;  // in the block's raw bytes
    AssetIndex asset{};
    std::uint64_t asset_offset = 0;
    std::uint32_t length_bytes = 0;
};

// Returns the parts of the blocks that are `wanted` (one entry per block), by block and offset. Empty assets have none.
// Errors: malformed (a placement outside the table of blocks), those of Bundle.
Result<std::vector<BlockPart>> block_parts(const Bundle& bundle, const std::vector<bool>& wanted);
// Returns those at the beginning of `parts`, which are by block, that are in one block.
std::span<const BlockPart> first_block(std::span<const BlockPart> parts) noexcept;

}  // namespace fardel
