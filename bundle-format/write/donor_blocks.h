// DonorBlocks: the stored blocks of a bundle that was written before, found by the assets that are in them.
//
// What the writer takes instead of encoding the same bytes again. Whoever gives a donor vouches for its layout: that it
// was written by this code, at this level, with this libzstd. Stored bytes are compared with their hashes all the same.
#pragma once

#include "blocks/block_pipeline.h"

#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace fardel {

class DonorBlocks {
public:
    // Reads the records of all assets. Errors: corrupt, malformed, io.
    static Result<DonorBlocks> open(std::shared_ptr<const Bundle> donor);

    // The block that holds just these assets, in this order; each is whole in it.
    std::optional<std::uint32_t> find_block(std::span<const AssetId> assets) const;

    struct Pieces {
        std::uint32_t first_block = 0;
        std::uint32_t count = 0;
        std::uint64_t first_piece = 0;  // in the table of pieces
    };
    // Where an asset of several pieces of that size lies.
    std::optional<Pieces> find_pieces(const AssetId& asset, std::uint8_t piece_log2) const;

    // Both put the stored bytes into `room`, which the result points into. Errors: corrupt, malformed, limit (`room` is
    // too small), io.
    Result<EncodedBlock> read_block(std::uint32_t block, std::span<std::byte> room) const;
    Result<EncodedBlock> read_piece(const Pieces& pieces, std::uint32_t number, std::span<std::byte> room) const;

private:
    explicit DonorBlocks(std::shared_ptr<const Bundle> donor) : donor_(std::move(donor)) {}

    std::shared_ptr<const Bundle> donor_;
    std::unordered_map<Hash, std::uint32_t> blocks_;  // by the hash of the ids in them, in their order
};

}  // namespace fardel
