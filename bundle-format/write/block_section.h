// BlockSection: the block section of a bundle that is being written: the offset of each block, and its record.
#pragma once

#include "blocks/block_pipeline.h"

#include <fardel/format/manifest.h>
#include <fardel/format/staged_file.h>

#include <cstdint>
#include <vector>

namespace fardel {

class BlockSection {
public:
    // The section begins at `offset` of the file, which has no bytes from there on.
    BlockSection(StagedFile& file, std::uint64_t offset) noexcept : file_(file), offset_(offset) {}

    // Writes the block behind the others; alignment gaps stay zero.
    Status append(const EncodedBlock& block);
    // Removes all blocks from number `count` on.
    Status cut_to(std::size_t count);

    std::size_t count() const noexcept { return records_.size(); }
    std::uint64_t length_bytes() const noexcept;
    std::vector<BlockRecord> take_records() noexcept { return std::move(records_); }
    // Returns per block the raw hash of its piece; zero for blocks that are no piece.
    std::vector<Hash> take_piece_hashes() noexcept { return std::move(piece_hashes_); }

private:
    StagedFile& file_;
    const std::uint64_t offset_;
    std::vector<BlockRecord> records_;
    std::vector<Hash> piece_hashes_;
};

}  // namespace fardel
