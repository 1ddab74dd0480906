#include <fardel/delivery/block_parts.h>

#include <algorithm>
#include <tuple>

namespace fardel {

Result<std::vector<BlockPart>> block_parts(const Bundle& bundle, const std::vector<bool>& wanted) {
    std::vector<BlockPart> parts;
    for (std::uint32_t i = 0; i < bundle.asset_count(); ++i) {
        const AssetIndex index{i};
        FARDEL_TRY_ASSIGN(const AssetRecord asset, bundle.asset(index));
        FARDEL_TRY_ASSIGN(const PlacementRecord placement, bundle.placement(index));
        const std::uint64_t pieces = asset.piece_count();
        if (pieces > wanted.size() || placement.first_block > wanted.size() - pieces)
            return Error(ErrorCode::malformed, "an asset lies in blocks that do not exist");
        for (std::uint64_t piece = 0; piece < pieces; ++piece) {
            const std::uint64_t block = placement.first_block + piece;
            if (!wanted[static_cast<std::size_t>(block)])
                continue;
            const std::uint64_t offset = piece << asset.piece_log2;
            const std::uint64_t length = std::min(asset.raw_bytes - offset, std::uint64_t{1} << asset.piece_log2);
            parts.push_back({.block = static_cast<std::uint32_t>(block),
                             .offset = pieces == 1 ? placement.offset : 0,
                             .asset = index,
                             .asset_offset = offset,
                             .length_bytes = static_cast<std::uint32_t>(length)});
        }
    }
    std::ranges::sort(parts, {}, [](const BlockPart& part) { return std::tuple(part.block, part.offset); });
    return parts;
}

std::span<const BlockPart> first_block(std::span<const BlockPart> parts) noexcept {
    const auto end = std::ranges::find_if(
        parts, [&](std::uint32_t block) { return block != parts.front().block; }, &BlockPart::block);
    return parts.first(static_cast<std::size_t>(end - parts.begin()));
}

}  // namespace fardel
