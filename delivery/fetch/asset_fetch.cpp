#include "fetch/asset_fetch.h"

#include "fetch/received_units.h"
#include "transfer/single_range.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/tree_paths.h>

#include <algorithm>
#include <tuple>

namespace fardel {
namespace {

constexpr std::uint64_t kRoundBytes = 32u << 20;  // of assets that are in memory at the same time

}  // namespace

// ---- Choosing -------------------------------------------------------------------------------------------------------

Result<std::vector<AssetFetch::PartlyHeld>> AssetFetch::find_partly_held(const std::vector<bool>& missing) const {
    const Bundle& target = *target_;
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, block_parts(target, missing));
    std::vector<PartlyHeld> blocks;
    for (std::span<const BlockPart> rest = parts; !rest.empty();) {
        const std::span<const BlockPart> own = first_block(rest);
        rest = rest.subspan(own.size());
        FARDEL_TRY_ASSIGN(const bool is_shared, is_shared_block(target, own));
        if (!is_shared)
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord record, target.block(own.front().block));
        PartlyHeld block{
            .block = own.front().block, .stored_bytes = record.stored_bytes, .raw_bytes = record.raw_bytes};
        for (const BlockPart& part : own) {
            FARDEL_TRY_ASSIGN(const AssetRecord asset, target.asset(part.asset));
            if (holds_asset(others_, asset.id))
                block.held_bytes += part.length_bytes;
            else
                block.lacking.push_back(part);
        }
        if (block.held_bytes != 0 && !block.lacking.empty())
            blocks.push_back(std::move(block));
    }
    return blocks;
}

Status AssetFetch::find_index(std::uint64_t saved_bytes) {
    if (was_asked_)
        return ok();
    FARDEL_TRY_ASSIGN(parts_, framed_parts(*target_));
    const std::uint64_t index_bytes = frame_index_bytes(parts_.size());
    // The index is worth its transfer only if more than that can be saved.
    if (saved_bytes <= index_bytes + kRequestCost)
        return ok();
    was_asked_ = true;
    const std::vector<std::string> urls = urls_of(context_.trees, asset_frames_path_of(target_->id()));
    const AcceptBytes accept = [&](std::span<const std::byte> bytes) {
        auto offsets = decode_frame_index(bytes, target_->layout_id(), parts_);
        if (offsets)
            offsets_ = *std::move(offsets);
        return offsets.has_value();  // not if it is damaged, or of another layout
    };
    FARDEL_TRY_ASSIGN(const CollectedRange found,
                      fetch_range(context_.client, urls, {.url = {}, .length_bytes = index_bytes}, kOptionalAttempts,
                                  context_.options.stop, accept));
    if (!found.failure)
        url_ = urls[found.server];
    return ok();
}

FetchUnit AssetFetch::unit_of(const BlockPart& part) const {
    const auto key = [](const BlockPart& one) { return std::tuple(one.block, one.offset); };
    const auto found = std::ranges::lower_bound(parts_, key(part), {}, key);
    const auto i = static_cast<std::size_t>(found - parts_.begin());  // it is there: both are those of shared blocks
    return {.offset = offsets_[i], .length_bytes = static_cast<std::uint32_t>(offsets_[i + 1] - offsets_[i])};
}

Result<BlockChoice> AssetFetch::choose(const BlockTarget& target, const std::vector<bool>& missing) {
    BlockChoice choice{.given = std::vector<bool>(missing.size(), false)};
    rounds_.clear();
    target_ = target.bundle;
    level_ = target.level.value_or(0);
    if (level_ == 0 || others_.empty())
        return choice;
    FARDEL_TRY_ASSIGN(const std::vector<PartlyHeld> blocks, find_partly_held(missing));
    std::uint64_t saved_bytes = 0;
    for (const PartlyHeld& block : blocks)
        saved_bytes += std::uint64_t{block.stored_bytes} * block.held_bytes / block.raw_bytes;
    FARDEL_TRY(find_index(saved_bytes));
    if (url_.empty())
        return choice;
    for (const PartlyHeld& block : blocks) {
        std::vector<Frame> frames;
        std::uint64_t frames_bytes = kRequestCost;
        std::uint64_t raw_bytes = 0;
        for (const BlockPart& part : block.lacking) {
            frames.push_back({part, unit_of(part)});
            frames_bytes += frames.back().unit.length_bytes;
            raw_bytes += part.length_bytes;
        }
        if (frames_bytes >= block.stored_bytes)
            continue;
        choice.given[block.block] = true;
        if (rounds_.empty() || rounds_.back().raw_bytes + raw_bytes > kRoundBytes)
            rounds_.emplace_back();
        Round& round = rounds_.back();
        round.blocks.push_back(block.block);
        round.frames.insert(round.frames.end(), frames.begin(), frames.end());
        round.raw_bytes += raw_bytes;
    }
    for (const Round& round : rounds_)
        for (const FetchRequest& request : make_requests(units_of(round))) {
            choice.fetch_bytes += bytes_of(request);
            ++choice.requests;
        }
    return choice;
}

std::vector<FetchUnit> AssetFetch::units_of(const Round& round) {
    std::vector<FetchUnit> units;
    for (const Frame& frame : round.frames)
        units.push_back(frame.unit);
    return units;
}

// ---- Fetching -------------------------------------------------------------------------------------------------------

Result<AssetFetch::Received> AssetFetch::receive(const Round& round) {
    const std::vector<FetchUnit> units = units_of(round);
    FARDEL_TRY_ASSIGN(const ReceivedUnits bytes,
                      ReceivedUnits::fetch(context_, urls_in(context_.trees, url_), offsets_.back(), units));
    Received received{.assets = {}, .is_all = bytes.is_all()};
    PrefixDecoder decoder;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (bytes[i].empty())
            continue;
        const BlockPart& part = round.frames[i].part;
        FARDEL_TRY_ASSIGN(const AssetRecord asset, target_->asset(part.asset));
        std::vector<std::byte> content(part.length_bytes);
        if (decode_asset_frame(decoder, bytes[i], asset.id, content))
            received.assets.emplace(static_cast<std::uint32_t>(part.asset), std::move(content));
        else
            received.is_all = false;
    }
    return received;
}

Status AssetFetch::fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    for (const Round& round : std::exchange(rounds_, {})) {
        FARDEL_TRY_ASSIGN(const Received received, receive(round));
        sink.progress();
        std::vector<bool> given(static_cast<std::size_t>(target_->table_count(TableKind::blocks)), false);
        for (const std::uint32_t block : round.blocks)
            given[block] = std::ranges::binary_search(blocks, block);
        const ReadPart read = [&](const AssetId& id, const BlockPart& part, std::span<std::byte> out) {
            const auto found = received.assets.find(static_cast<std::uint32_t>(part.asset));
            if (found == received.assets.end())
                return read_held_part(others_, id, part, out);
            std::ranges::copy(found->second, out.begin());
            return true;
        };
        FARDEL_TRY(encode_content(*target_, level_, given, read, context_.options.stop, sink.take));
        if (!received.is_all) {
            url_.clear();  // what is wrong once is not worth a second attempt
            return ok();
        }
    }
    return ok();
}

}  // namespace fardel
