#include "placements.h"

#include <fardel/base/fits.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <string>
#include <tuple>

namespace fardel {
namespace {

using enum TableKind;

constexpr std::uint32_t kPlainBlockBytesMax = 1u << limits::kBlockLog2;

std::string block_location(std::uint64_t block) { return record_location(blocks, block); }

// Returns all assets that have bytes and whose blocks exist, by block and offset. They may still overlap.
std::vector<PlacedAsset> claimed_placements(const CheckedTables& tables, VerifyFindings& findings) {
    std::vector<PlacedAsset> placed_assets;
    const std::uint64_t block_count = tables.count(blocks);
    for (std::uint64_t i = 0; i < std::min(tables.count(assets), tables.count(placements)); ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        const auto placement = tables.find<PlacementRecord>(i);
        if (!asset || !placement)
            continue;
        const std::uint64_t pieces = asset->piece_count();
        if (pieces == 0) {
            if (*placement != PlacementRecord{})
                findings.add(VerifierRule::placement_of_nothing, placements, i,
                             "the asset has no bytes, so block and offset must be 0");
            continue;
        }
        if (!fits(placement->first_block, pieces, block_count) || (pieces > 1 && placement->offset != 0)) {
            findings.add(VerifierRule::placement_outside, placements, i,
                         "it claims " + std::to_string(pieces) + " blocks from block " +
                             std::to_string(placement->first_block) + ", offset " + std::to_string(placement->offset) +
                             "; the bundle has " + std::to_string(block_count) + " blocks");
            continue;
        }
        placed_assets.push_back({placement->first_block, placement->offset, static_cast<std::uint32_t>(pieces),
                                 static_cast<std::uint32_t>(i), asset->raw_bytes});
    }
    // By place, so that overlaps and gaps are found between neighbours.
    std::ranges::sort(placed_assets, {}, [](const PlacedAsset& placed) {
        return std::tuple(placed.first_block, placed.offset, placed.asset);
    });
    return placed_assets;
}

// Walks blocks and assets in parallel. The cursor (block_, filled_) is the first raw byte that no asset has claimed
// yet.
class PlacementWalk {
public:
    PlacementWalk(const CheckedTables& tables, VerifyFindings& findings)
        : tables_(tables),
          findings_(findings),
          judge_holes_(tables[assets].is_complete() && tables[placements].is_complete() &&
                       tables[blocks].is_complete()) {}

    bool add(const PlacedAsset& placed) {
        // Assets that claim the same bytes would be proved together by each other's reads (tests/ATTACKS.md, A127).
        if (placed.first_block < block_ || (placed.first_block == block_ && placed.offset < filled_))
            return overlaps(placed);
        return placed.block_count == 1 ? add_single(placed) : add_run(placed);
    }

    void finish() { close_until(tables_.count(blocks)); }

private:
    bool overlaps(const PlacedAsset& placed) {
        findings_.add(VerifierRule::placement_overlap, placements, placed.asset,
                      "its bytes in block " + std::to_string(placed.first_block) + " already belong to another asset");
        return false;
    }

    bool add_single(const PlacedAsset& placed) {
        close_until(placed.first_block);
        const auto block = tables_.find<BlockRecord>(placed.first_block);
        if (block && !fits(placed.offset, placed.bytes, block->raw_bytes)) {
            findings_.add(VerifierRule::placement_outside, placements, placed.asset,
                          "it has " + std::to_string(placed.bytes) + " bytes from offset " +
                              std::to_string(placed.offset) + " of block " + std::to_string(placed.first_block) +
                              ", which has " + std::to_string(block->raw_bytes));
            return false;
        }
        const auto asset = tables_.find<AssetRecord>(placed.asset);
        const bool is_streamed_piece =
            asset && asset->piece_log2 == limits::kStreamBlockLog2 && block && placed.bytes == block->raw_bytes;
        if (block && block->raw_bytes > kPlainBlockBytesMax && !is_streamed_piece)
            findings_.add(
                VerifierRule::block_size, block_location(placed.first_block),
                "it has " + std::to_string(block->raw_bytes) +
                    " raw bytes; only a block with nothing but a piece of a streamed asset may have more than 65536");
        if (placed.offset > filled_)
            hole(placed.first_block, filled_, placed.offset);
        filled_ = std::uint64_t{placed.offset} + placed.bytes;
        return true;
    }

    bool add_run(const PlacedAsset& placed) {
        if (placed.first_block == block_ && filled_ > 0)
            return overlaps(placed);
        close_until(placed.first_block);
        const auto asset = tables_.find<AssetRecord>(placed.asset);
        if (!asset)
            return false;
        const std::uint64_t piece_bytes = std::uint64_t{1} << asset->piece_log2;
        for (std::uint32_t i = 0; i < placed.block_count; ++i) {
            const auto block = tables_.find<BlockRecord>(placed.first_block + i);
            const std::uint64_t expected = std::min(piece_bytes, placed.bytes - i * piece_bytes);
            if (block && block->raw_bytes != expected)
                findings_.add(VerifierRule::block_size, block_location(placed.first_block + i),
                              "it has " + std::to_string(block->raw_bytes) + " raw bytes; piece " + std::to_string(i) +
                                  " of asset " + std::to_string(placed.asset) + " has " + std::to_string(expected));
        }
        block_ = placed.first_block + placed.block_count;
        filled_ = 0;
        return true;
    }

    // Moves the cursor to `block`: no further asset has bytes in the blocks before it.
    void close_until(std::uint64_t block) {
        for (; block_ < block; ++block_, filled_ = 0) {
            if (!judge_holes_)
                continue;
            const auto record = tables_.find<BlockRecord>(block_);
            if (record && filled_ < record->raw_bytes)
                hole(block_, filled_, record->raw_bytes);
        }
    }

    void hole(std::uint64_t block, std::uint64_t from, std::uint64_t to) {
        if (judge_holes_)
            findings_.add(
                VerifierRule::block_not_filled, block_location(block),
                "its raw bytes " + std::to_string(from) + " to " + std::to_string(to - 1) + " belong to no asset");
    }

    const CheckedTables& tables_;
    VerifyFindings& findings_;
    const bool judge_holes_;
    std::uint64_t block_ = 0;
    std::uint64_t filled_ = 0;
};

}  // namespace

std::vector<PlacedAsset> check_placements(const CheckedTables& tables, VerifyFindings& findings) {
    std::vector<PlacedAsset> placed_assets = claimed_placements(tables, findings);
    PlacementWalk walk(tables, findings);
    std::erase_if(placed_assets,
                  [&](const PlacedAsset& placed) { return !walk.add(placed); });  // visits each once, in order
    walk.finish();
    return placed_assets;
}

std::span<const PlacedAsset> assets_in_block(std::span<const PlacedAsset> placed_assets, std::uint32_t block) noexcept {
    const auto end = std::ranges::upper_bound(placed_assets, block, {}, &PlacedAsset::first_block);
    auto begin = std::ranges::lower_bound(placed_assets.begin(), end, block, {}, &PlacedAsset::first_block);
    // Otherwise an asset of several pieces may begin in an earlier block and extend over this one.
    if (begin == end && begin != placed_assets.begin()) {
        const auto before = begin - 1;
        if (block - before->first_block < before->block_count)
            begin = before;
    }
    return {begin, end};
}

}  // namespace fardel
