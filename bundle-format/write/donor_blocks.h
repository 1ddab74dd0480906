// DonorBlocks: the stored blocks of an earlier bundle, found by the assets in them.
//
// The writer copies these blocks instead of encoding the same bytes again. The caller that provides a donor guarantees
// that its layout was written by this code, for these purposes, at this level, with these libraries. Stored bytes are
// nevertheless compared with their hashes.
#pragma once

#include "blocks/block_pipeline.h"
#include "donor_reader.h"

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fardel {

class DonorBlocks {
public:
    // Reads the records of all assets. `purpose`: of the bundle. The executor may be nullptr. Errors: corrupt,
    // malformed, io.
    static Result<DonorBlocks> open(const BundleDonor& donor, BundlePurpose purpose,
                                    std::shared_ptr<Executor> executor);

    // Returns the block that contains exactly these assets, whole and in this order, and was made for `purpose`.
    std::optional<std::uint32_t> find_block(std::span<const AssetId> assets, BundlePurpose purpose) const;

    struct Pieces {
        std::uint32_t first_block = 0;
        std::uint32_t count = 0;
        std::uint64_t first_piece = 0;  // in the pieces table
    };
    // Returns the pieces of an asset that has several pieces of that size, made for `purpose`.
    std::optional<Pieces> find_pieces(const AssetId& asset, std::uint8_t piece_log2, BundlePurpose purpose) const;

    // The stored bytes are valid until the next call. Errors: corrupt, malformed, limit, io.
    Result<EncodedBlock> read_block(std::uint32_t block);
    Result<EncodedBlock> read_piece(const Pieces& pieces, std::uint32_t number);

private:
    DonorBlocks(const BundleDonor& donor, BundlePurpose purpose, std::shared_ptr<Executor> executor)
        : donor_(donor.bundle),
          purposes_(donor.block_purposes),
          purpose_(purpose),
          reader_(donor.bundle, std::move(executor)) {}
    bool is_for(std::uint32_t block, BundlePurpose purpose) const;

    std::shared_ptr<const Bundle> donor_;
    std::vector<BundlePurpose> purposes_;  // of its blocks; empty: all have purpose_
    BundlePurpose purpose_;
    DonorReader reader_;
    std::unordered_map<Hash, std::uint32_t> blocks_;  // by the hash of the ids in them, in their order
};

}  // namespace fardel
