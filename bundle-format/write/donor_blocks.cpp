#include "donor_blocks.h"

#include <fardel/format/hash.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

struct PlacedAsset {
    std::uint32_t block = 0;
    std::uint32_t offset = 0;
    AssetId asset;
};

Hash hash_of(std::span<const AssetId> assets) { return blake3(std::as_bytes(assets)); }

bool is_one_piece(const AssetRecord& asset) { return asset.raw_bytes <= (std::uint64_t{1} << asset.piece_log2); }

}  // namespace

Result<DonorBlocks> DonorBlocks::open(const BundleDonor& donor, BundlePurpose purpose,
                                      std::shared_ptr<Executor> executor) {
    DonorBlocks blocks(donor, purpose, std::move(executor));
    const Bundle& bundle = *blocks.donor_;
    std::vector<PlacedAsset> placed;
    placed.reserve(bundle.asset_count());
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(AssetIndex{i}));
        if (asset.raw_bytes == 0 || !is_one_piece(asset))
            continue;
        FARDEL_TRY_ASSIGN(const PlacementRecord placement, bundle.placement(AssetIndex{i}));
        placed.push_back({placement.first_block, placement.offset, asset.id});
    }
    std::ranges::sort(placed, {},
                      [](const PlacedAsset& asset_at) { return std::pair(asset_at.block, asset_at.offset); });

    std::vector<AssetId> together;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        together.push_back(placed[i].asset);
        if (i + 1 < placed.size() && placed[i + 1].block == placed[i].block)
            continue;
        // The same assets in the same order are encoded to the same block, so a block is found by them.
        blocks.blocks_.emplace(hash_of(together), placed[i].block);
        together.clear();
    }
    return blocks;
}

bool DonorBlocks::is_for(std::uint32_t block, BundlePurpose purpose) const {
    if (purposes_.empty())
        return purpose == purpose_;
    return block < purposes_.size() && purposes_[block] == purpose;
}

std::optional<std::uint32_t> DonorBlocks::find_block(std::span<const AssetId> assets, BundlePurpose purpose) const {
    const auto found = blocks_.find(hash_of(assets));
    return found != blocks_.end() && is_for(found->second, purpose) ? std::optional(found->second) : std::nullopt;
}

std::optional<DonorBlocks::Pieces> DonorBlocks::find_pieces(const AssetId& id, std::uint8_t piece_log2,
                                                            BundlePurpose purpose) const {
    const auto index = donor_->find_asset(id);
    if (!index || !*index)
        return std::nullopt;
    const auto asset = donor_->asset(**index);
    const auto placement = donor_->placement(**index);
    if (!asset || !placement || is_one_piece(*asset) || asset->piece_log2 != piece_log2 ||
        !is_for(placement->first_block, purpose))
        return std::nullopt;
    const std::uint64_t count = asset->piece_count();
    if (count > limits::kBlocksMax)
        return std::nullopt;
    return Pieces{.first_block = placement->first_block,
                  .count = static_cast<std::uint32_t>(count),
                  .first_piece = asset->piece_first};
}

Result<EncodedBlock> DonorBlocks::read_block(std::uint32_t block) {
    FARDEL_TRY_ASSIGN(const DonorReader::Block read, reader_.read(block));
    return EncodedBlock{.codec = read.record.codec,
                        .raw_bytes = read.record.raw_bytes,
                        .stored_hash = read.record.stored_hash,
                        .stored = read.stored};
}

Result<EncodedBlock> DonorBlocks::read_piece(const Pieces& pieces, std::uint32_t number) {
    FARDEL_TRY_ASSIGN(EncodedBlock block, read_block(pieces.first_block + number));
    FARDEL_TRY_ASSIGN(const auto hash, donor_->table_bytes(TableKind::pieces,
                                                           (pieces.first_piece + number) * sizeof(Hash), sizeof(Hash)));
    block.piece = true;
    std::memcpy(block.raw_hash.bytes.data(), hash.data(), sizeof(Hash));
    return block;
}

}  // namespace fardel
