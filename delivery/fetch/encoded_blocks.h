// EncodedBlocks: blocks of a bundle that come out of what other bundles here have, although none has the same stored
// bytes: their assets moved to another block, were packed at another level, or are pieces of one that was edited. They
// are encoded again.
#pragma once

#include "delta/held_content.h"
#include "delta/held_pieces.h"
#include "fetch/block_supplier.h"

#include <fardel/base/result.h>
#include <fardel/delivery/block_parts.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace fardel {

class EncodedBlocks final : public BlockSupplier {
public:
    // `others`: whole bundles; the vector outlives the object, and may be filled until choose() is called.
    EncodedBlocks(const std::vector<std::shared_ptr<const Bundle>>& others, std::stop_token stop)
        : others_(others), stop_(std::move(stop)) {}
    BlockCost cost() const noexcept override { return BlockCost::encoding; }

    // Chooses blocks of which every part is in other bundles. The level is found by encoding a few blocks that are
    // here, or a few of those that are chosen. Whether all others come out is not known before they are encoded.
    Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) override;
    Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) override;

private:
    Status find_level(const BlockTarget& target);
    // Reads parts of the target from other bundles.
    ReadPart reader() const;
    // Keeps the parts of blocks that have all of theirs here.
    Status keep_complete(std::vector<BlockPart> parts);

    const std::vector<std::shared_ptr<const Bundle>>& others_;
    const std::stop_token stop_;
    std::shared_ptr<const Bundle> target_;
    std::optional<HeldPieces> pieces_;
    std::vector<BlockPart> parts_;  // of what was chosen
    std::optional<std::uint32_t> level_;
};

}  // namespace fardel
