#include "fetch/encoded_blocks.h"

#include <fardel/delivery/raw_block.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <utility>

namespace fardel {

ReadPart EncodedBlocks::reader() const {
    return [this](const AssetId& asset, const BlockPart& part, std::span<std::byte> out) {
        return read_held_part(others_, asset, part, out) || pieces_->read(part, out);
    };
}

Result<BlockChoice> EncodedBlocks::choose(const BlockTarget& target, const std::vector<bool>& missing) {
    BlockChoice choice{.given = std::vector<bool>(missing.size(), false)};
    target_ = target.bundle;
    parts_.clear();
    if (others_.empty() || std::ranges::find(missing, true) == missing.end())
        return choice;
    FARDEL_TRY_ASSIGN(std::vector<BlockPart> parts, block_parts(*target_, missing));
    FARDEL_TRY_ASSIGN(HeldPieces pieces, HeldPieces::find(*target_, parts, others_, stop_));
    pieces_.emplace(std::move(pieces));
    FARDEL_TRY(keep_complete(std::move(parts)));
    FARDEL_TRY(find_level(target));
    choice.level = level_.value_or(0);
    for (const BlockPart& part : parts_) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(part.block));
        choice.given[part.block] = level_.value_or(0) != 0 || block.codec == Codec::raw;
    }
    return choice;
}

Status EncodedBlocks::keep_complete(std::vector<BlockPart> parts) {
    for (std::span<const BlockPart> rest = parts; !rest.empty();) {
        if (stop_.stop_requested())
            return Error(ErrorCode::cancelled, "looking for blocks was stopped");
        const std::span<const BlockPart> own = first_block(rest);
        rest = rest.subspan(own.size());
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(own.front().block));
        bool is_here = block.raw_bytes <= limits::kBlockBytesMax;
        for (const BlockPart& part : own) {
            FARDEL_TRY_ASSIGN(const AssetRecord asset, target_->asset(part.asset));
            is_here = is_here && (holds_asset(others_, asset.id) || pieces_->has(part));
        }
        if (is_here)
            parts_.insert(parts_.end(), own.begin(), own.end());
    }
    return ok();
}

Status EncodedBlocks::find_level(const BlockTarget& target) {
    FARDEL_TRY_ASSIGN(const std::vector<bool> held, held_blocks(target));
    FARDEL_TRY_ASSIGN(level_, find_level_of_held(*target_, held));
    if (level_)
        return ok();
    std::vector<BlockPart> samples;
    std::size_t count = 0;
    for (std::span<const BlockPart> rest = parts_; !rest.empty() && count < kLevelSamples;) {
        const std::span<const BlockPart> own = first_block(rest);
        rest = rest.subspan(own.size());
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(own.front().block));
        if (block.codec == Codec::raw)
            continue;
        samples.insert(samples.end(), own.begin(), own.end());
        ++count;
    }
    if (samples.empty())
        return ok();
    FARDEL_TRY_ASSIGN(level_, encode_parts(*target_, std::nullopt, samples, reader(), stop_,
                                           [](std::uint32_t, std::span<const std::byte>) { return ok(); }));
    return ok();
}

Status EncodedBlocks::fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    std::vector<BlockPart> parts;
    for (const std::uint32_t block : blocks) {
        const auto own = std::ranges::lower_bound(parts_, block, {}, &BlockPart::block);
        if (own == parts_.end() || own->block != block)
            continue;
        const std::span<const BlockPart> found = first_block({own, parts_.end()});
        parts.insert(parts.end(), found.begin(), found.end());
    }
    const auto encoded = encode_parts(*target_, level_.value_or(0), parts, reader(), stop_, sink.take);
    return encoded ? ok() : encoded.error();
}

}  // namespace fardel
