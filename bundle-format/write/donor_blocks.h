// DonorBlocks: the stored blocks of an earlier bundle, found by the assets in them.
//
// The writer copies these blocks instead of encoding the same bytes again. The caller that provides a donor guarantees
// that its layout was written by this code, for these purposes, at this level, with these libraries. Stored bytes are
// nevertheless compared with their hashes.
#pragma once

#include "blocks/block_pipeline.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>

namespace fardel {

class DonorBlocks {
public:
    // Reads the records of all assets. Errors: corrupt, malformed, io.
    static Result<DonorBlocks> open(std::shared_ptr<const Bundle> donor);

    // Returns the block that contains exactly these assets, whole and in this order.
    std::optional<std::uint32_t> find_block(std::span<const AssetId> assets) const;

    struct Pieces {
        std::uint32_t first_block = 0;
        std::uint32_t count = 0;
        std::uint64_t first_piece = 0;  // in the pieces table
    };
    // Returns the pieces of an asset that has several pieces of that size.
    std::optional<Pieces> find_pieces(const AssetId& asset, std::uint8_t piece_log2) const;

    // Both functions put the stored bytes into `room`, and the result points into it. Errors: corrupt, malformed, limit
    // (`room` is too small), io.
    Result<EncodedBlock> read_block(std::uint32_t block, std::span<std::byte> room) const;
    Result<EncodedBlock> read_piece(const Pieces& pieces, std::uint32_t number, std::span<std::byte> room) const;

private:
    explicit DonorBlocks(std::shared_ptr<const Bundle> donor) : donor_(std::move(donor)) {}

    std::shared_ptr<const Bundle> donor_;
    std::unordered_map<Hash, std::uint32_t> blocks_;  // by the hash of the ids in them, in their order
};

}  // namespace fardel
