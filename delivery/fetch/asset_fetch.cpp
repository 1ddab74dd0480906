#include "fetch/asset_fetch.h"

#include "transfer/single_range.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/tree_paths.h>

#include <algorithm>
#include <deque>
#include <tuple>

namespace fardel {
namespace {

constexpr std::uint64_t kRoundBytes = 32u << 20;  // of assets that are in memory at the same time
constexpr std::uint64_t kRequestCost = 200;       // bytes of a request and of the head of its answer

// Ranges of one file, into memory.
class RangeList final : public RangeQueue {
public:
    // `urls`: of the file on several servers; the first one is asked.
    RangeList(const std::vector<std::string>& urls, std::uint64_t file_bytes, const std::vector<FetchRequest>& requests)
        : urls_(urls), file_bytes_(file_bytes), requests_(requests), collected_(requests.size()) {}

    std::optional<RangeJob> next() override {
        if (next_ == requests_.size())
            return std::nullopt;
        const std::size_t i = next_++;
        HttpRange whole = range(i);
        whole.url = urls_.front();
        whole.others = {urls_.begin() + 1, urls_.end()};
        whole.restarts = true;
        return RangeJob{std::move(whole), make_byte_collector(collected_[i])};
    }

    HttpRange range(std::size_t i) const {
        return {.url = {},
                .offset = requests_[i].front().offset,
                .length_bytes = bytes_of(requests_[i]),
                .file_bytes = file_bytes_};
    }

    CollectedRange& collected(std::size_t i) { return collected_[i]; }

private:
    const std::vector<std::string>& urls_;
    const std::uint64_t file_bytes_;
    const std::vector<FetchRequest>& requests_;
    std::size_t next_ = 0;
    std::deque<CollectedRange> collected_;
};

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
    const std::vector<FetchRequest> requests = make_requests(units_of(round));
    const std::vector<std::string> urls = urls_in(context_.trees, url_);
    RangeList ranges(urls, offsets_.back(), requests);
    FARDEL_TRY(context_.client.run(ranges, context_.options.stop));
    Received received;
    PrefixDecoder decoder;
    auto frame = round.frames.begin();
    for (std::size_t i = 0; i < requests.size(); ++i) {
        // Also if its server was left for a quicker one. Whether a second one failed decides about the others, too.
        if (ranges.collected(i).failure && received.is_all) {
            FARDEL_TRY_ASSIGN(ranges.collected(i), fetch_range(context_.client, urls, ranges.range(i),
                                                               kOptionalAttempts, context_.options.stop));
        }
        const std::vector<std::byte>& bytes_here = ranges.collected(i).bytes;
        received.is_all = received.is_all && !ranges.collected(i).failure;
        for (const FetchUnit& unit : requests[i]) {
            const BlockPart& part = (frame++)->part;
            const std::uint64_t at = unit.offset - requests[i].front().offset;
            if (at + unit.length_bytes > bytes_here.size())
                continue;
            FARDEL_TRY_ASSIGN(const AssetRecord asset, target_->asset(part.asset));
            std::vector<std::byte> content(part.length_bytes);
            const auto bytes = std::span(bytes_here).subspan(static_cast<std::size_t>(at), unit.length_bytes);
            if (decode_asset_frame(decoder, bytes, asset.id, content))
                received.assets.emplace(static_cast<std::uint32_t>(part.asset), std::move(content));
            else
                received.is_all = false;
        }
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
