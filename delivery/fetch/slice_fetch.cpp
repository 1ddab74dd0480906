#include "fetch/slice_fetch.h"

#include "delta/held_content.h"
#include "delta/namesakes.h"
#include "transfer/single_range.h"
#include "transfer/tree_urls.h"

#include <fardel/delivery/raw_block.h>
#include <fardel/delivery/tree_paths.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kSliceRoundBytes = 32u << 20;  // of pieces that are in memory at the same time
constexpr std::size_t kSoughtStretchesMax = 1u << 14;  // 1 GiB of pieces; at 4.5 KiB of memory each
constexpr std::uint64_t kSearchedBytesMax = 1u << 30;  // of older versions

}  // namespace

// ---- What is missing ------------------------------------------------------------------------------------------------

Result<std::vector<BlockPart>> SliceFetch::missing_pieces(const BlockTarget& target,
                                                          const std::vector<bool>& missing) const {
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, block_parts(*target_, missing));
    std::vector<BlockPart> pieces;
    for (const BlockPart& part : parts) {
        FARDEL_TRY_ASSIGN(const AssetRecord asset, target_->asset(part.asset));
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(part.block));
        const bool can_be_made = block.codec == Codec::raw || target.level.value_or(0) != 0;
        const std::uint32_t stretches = (part.length_bytes + kStretchBytes - 1) / kStretchBytes;
        // What compresses to less costs less than to ask how to make it.
        const bool is_worth_it = block.stored_bytes > stretches * (kStretchHashesBytes + kSliceBytes) + kRequestCost;
        if (asset.piece_count() > 1 && can_be_made && is_worth_it && block.raw_bytes == part.length_bytes &&
            block.raw_bytes <= limits::kBlockBytesMax)
            pieces.push_back(part);
    }
    return pieces;
}

std::vector<SliceFetch::StretchPart> SliceFetch::stretches_of(const BlockPart& part) const {
    std::vector<StretchPart> stretches;
    const auto asset = std::ranges::lower_bound(assets_, part.asset, {}, &SlicedAsset::asset);
    for (std::uint32_t at = 0; at < part.length_bytes; at += kStretchBytes)
        stretches.push_back({.stretch = asset->first_stretch + (part.asset_offset + at) / kStretchBytes,
                             .offset = part.asset_offset + at,
                             .length_bytes = std::min(part.length_bytes - at, kStretchBytes)});
    return stretches;
}

// ---- What is here ---------------------------------------------------------------------------------------------------

Status SliceFetch::find_file() {
    const std::uint64_t stretches = stretch_count(assets_);
    const std::vector<std::string> urls = urls_of(context_.trees, piece_slices_path_of(target_->id()));
    const AcceptBytes accept = [&](std::span<const std::byte> bytes) {
        return static_cast<bool>(verify_slices_head(bytes, target_->id(), stretches));
    };
    FARDEL_TRY_ASSIGN(const CollectedRange head,
                      fetch_range(context_.client, urls, {.url = {}, .length_bytes = kSlicesHeadBytes},
                                  kOptionalAttempts, context_.options.stop, accept));
    // From a server that sends whole files, each round would cost all of this one.
    if (!head.failure && !context_.client.sends_whole_files(urls[head.server]))
        url_ = urls[head.server];
    return ok();
}

Result<SliceFetch::SoughtStretches> SliceFetch::seek(std::span<const BlockPart> parts) {
    SoughtStretches sought;
    auto assets = sliced_assets(*target_);
    if (!assets && assets.error().code() == ErrorCode::limit)
        return sought;  // there is no such file
    FARDEL_TRY_ASSIGN(assets_, std::move(assets));
    std::vector<bool> wanted(target_->asset_count(), false);
    for (const BlockPart& part : parts)
        wanted[static_cast<std::uint32_t>(part.asset)] = true;
    FARDEL_TRY_ASSIGN(Namesakes namesakes, find_namesakes(*target_, wanted, others_));
    sources_ = std::move(namesakes.sources);
    for (const BlockPart& part : parts) {
        if (!namesakes.is_found[static_cast<std::uint32_t>(part.asset)] || sought.size() >= kSoughtStretchesMax)
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(part.block));
        const std::vector<StretchPart> stretches = stretches_of(part);
        for (const StretchPart& stretch : stretches)
            sought.emplace(stretch.stretch, SoughtStretch{.part = stretch,
                                                          .asset = part.asset,
                                                          .stored_bytes = block.stored_bytes / stretches.size()});
    }
    return sought;
}

Status SliceFetch::learn(std::span<const BlockPart> parts) {
    FARDEL_TRY_ASSIGN(const SoughtStretches sought, seek(parts));
    if (sought.empty())
        return ok();
    FARDEL_TRY(find_file());
    if (url_.empty())
        return ok();
    // An asset that is another one altogether costs the hashes of one stretch: its last one, because what was inserted
    // or removed lies before it.
    std::map<AssetIndex, SoughtStretch> last;
    for (const auto& [number, stretch] : sought)
        last.insert_or_assign(stretch.asset, stretch);
    std::vector<StretchPart> first_round;
    for (const auto& [asset, stretch] : last)
        first_round.push_back(stretch.part);
    FARDEL_TRY(look_for(std::move(first_round)));
    std::vector<StretchPart> second_round;
    for (const auto& [number, stretch] : sought)
        if (!known_.contains(number) && is_gain(last.at(stretch.asset)))
            second_round.push_back(stretch.part);
    return url_.empty() ? ok() : look_for(std::move(second_round));
}

bool SliceFetch::is_gain(const SoughtStretch& stretch) const {
    const auto known = known_.find(stretch.part.stretch);
    return known != known_.end() && sums_for(known->second.missing) &&
           static_cast<std::uint64_t>(std::popcount(known->second.missing)) * kSliceBytes < stretch.stored_bytes;
}

SliceFetch::KnownStretch SliceFetch::known_stretch(const SliceSearch& search, std::span<const SliceHash> hashes,
                                                   std::uint32_t length_bytes) const {
    KnownStretch known;
    for (std::size_t slice = 0; slice < hashes.size(); ++slice) {
        auto place = search.find(hashes[slice]);
        // One that was found in the zeros after an asset is not there.
        const std::uint64_t length = std::min<std::uint64_t>(length_bytes - slice * kSliceBytes, kSliceBytes);
        if (place && place->offset + length > sources_[place->source].raw_bytes)
            place.reset();
        known.missing |= SliceSet{place ? 0u : 1u} << slice;
        known.places.push_back(place);
    }
    return known;
}

Status SliceFetch::look_for(std::vector<StretchPart> stretches) {
    if (stretches.empty())
        return ok();
    std::ranges::sort(stretches, {}, &StretchPart::stretch);
    std::vector<FetchUnit> units;
    for (const StretchPart& stretch : stretches)
        units.push_back({.offset = hashes_offset(stretch.stretch), .length_bytes = kStretchHashesBytes});
    FARDEL_TRY_ASSIGN(const ReceivedUnits received,
                      ReceivedUnits::fetch(context_, urls_in(context_.trees, url_),
                                           slices_file_bytes(stretch_count(assets_)), units));
    std::vector<std::vector<SliceHash>> hashes(stretches.size());  // none: they did not come
    std::vector<SliceHash> all_hashes;
    for (std::size_t i = 0; i < stretches.size(); ++i)
        if (!received[i].empty()) {
            hashes[i] = decode_slice_hashes(received[i], stretches[i].length_bytes);
            std::ranges::copy(hashes[i], std::back_inserter(all_hashes));
        }
    SliceSearch search(std::move(all_hashes));
    std::uint64_t searched_bytes = 0;
    for (std::uint32_t i = 0; i < sources_.size(); ++i) {
        searched_bytes += std::min(sources_[i].raw_bytes, kSearchedBytesMax);
        if (searched_bytes <= kSearchedBytesMax)
            FARDEL_TRY(search.look_in(sources_[i], i, context_.options.stop));
    }
    for (std::size_t i = 0; i < stretches.size(); ++i)
        if (!hashes[i].empty())
            known_[stretches[i].stretch] = known_stretch(search, hashes[i], stretches[i].length_bytes);
    if (!received.is_all())
        url_.clear();
    return ok();
}

// ---- Choosing -------------------------------------------------------------------------------------------------------

std::optional<std::vector<FetchUnit>> SliceFetch::sums_of(const BlockPart& part) const {
    std::vector<FetchUnit> units;
    for (const StretchPart& stretch : stretches_of(part)) {
        const auto known = known_.find(stretch.stretch);
        const auto sums = known == known_.end() ? std::nullopt : sums_for(known->second.missing);
        if (!sums)
            return std::nullopt;
        for (std::uint32_t i = 0; i < kSumsPerStretch; ++i)
            if ((*sums >> i & 1) != 0)
                units.push_back({.offset = sums_offset(stretch.stretch, stretch_count(assets_)) + i * kSliceBytes,
                                 .length_bytes = kSliceBytes});
    }
    return units;
}

Result<BlockChoice> SliceFetch::choose(const BlockTarget& target, const std::vector<bool>& missing) {
    BlockChoice choice{.given = std::vector<bool>(missing.size(), false)};
    rounds_.clear();
    target_ = target.bundle;
    level_ = target.level.value_or(0);
    if (others_.empty())
        return choice;
    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> pieces, missing_pieces(target, missing));
    if (!was_asked_ && !pieces.empty()) {
        was_asked_ = true;
        FARDEL_TRY(learn(pieces));
    }
    if (url_.empty())
        return choice;
    for (const BlockPart& piece : pieces) {
        const auto units = sums_of(piece);
        if (!units)
            continue;
        FARDEL_TRY_ASSIGN(const BlockRecord block, target_->block(piece.block));
        if (units->size() * kSliceBytes + kRequestCost >= block.stored_bytes)
            continue;
        choice.given[piece.block] = true;
        if (rounds_.empty() || rounds_.back().raw_bytes + piece.length_bytes > kSliceRoundBytes)
            rounds_.emplace_back();
        Round& round = rounds_.back();
        round.parts.push_back(piece);
        round.units.insert(round.units.end(), units->begin(), units->end());
        round.raw_bytes += piece.length_bytes;
    }
    for (Round& round : rounds_) {
        std::ranges::sort(round.units, {}, &FetchUnit::offset);
        for (const FetchRequest& request : make_requests(round.units)) {
            choice.fetch_bytes += bytes_of(request);
            ++choice.requests;
        }
    }
    return choice;
}

// ---- Fetching -------------------------------------------------------------------------------------------------------

bool SliceFetch::read_stretch(const StretchPart& part, const Sums& sums, std::span<std::byte> out) const {
    const KnownStretch& known = known_.at(part.stretch);
    // Slices that follow each other there, too, are read at once: each read decodes a block.
    for (std::size_t first = 0, last = 0; first < known.places.size(); first = std::max(first + 1, last)) {
        const auto& begin = known.places[first];
        if (!begin)
            continue;
        for (last = first + 1; last < known.places.size() && known.places[last] &&
                               known.places[last]->source == begin->source &&
                               known.places[last]->offset == begin->offset + (last - first) * kSliceBytes;)
            ++last;
        const std::size_t at = first * kSliceBytes;
        const SliceSource& source = sources_[begin->source];
        if (!source.bundle->read_at(source.asset, begin->offset,
                                    out.subspan(at, std::min(out.size(), last * kSliceBytes) - at)))
            return false;
    }
    for (std::uint32_t slice = 0; slice < kSlicesPerStretch; ++slice) {
        if ((known.missing >> slice & 1) == 0)
            continue;
        const auto sum = sums.find(sums_offset(part.stretch, stretch_count(assets_)) +
                                   std::uint64_t{slice % kSumsPerStretch} * kSliceBytes);
        if (sum == sums.end())
            return false;
        fill_slice(out, slice, sum->second);
    }
    return true;
}

bool SliceFetch::read_piece(const BlockPart& part, const Sums& sums, std::span<std::byte> out) const {
    return std::ranges::all_of(stretches_of(part), [&](const StretchPart& stretch) {
        return read_stretch(
            stretch, sums,
            out.subspan(static_cast<std::size_t>(stretch.offset - part.asset_offset), stretch.length_bytes));
    });
}

Status SliceFetch::fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) {
    for (const Round& round : std::exchange(rounds_, {})) {
        FARDEL_TRY_ASSIGN(const ReceivedUnits received,
                          ReceivedUnits::fetch(context_, urls_in(context_.trees, url_),
                                               slices_file_bytes(stretch_count(assets_)), round.units));
        sink.progress();
        Sums sums;
        for (std::size_t i = 0; i < round.units.size(); ++i)
            if (!received[i].empty())
                sums.emplace(round.units[i].offset, received[i]);
        std::vector<BlockPart> parts;
        std::ranges::copy_if(round.parts, std::back_inserter(parts),
                             [&](const BlockPart& part) { return std::ranges::binary_search(blocks, part.block); });
        const ReadPart read = [&](const AssetId&, const BlockPart& part, std::span<std::byte> out) {
            return read_piece(part, sums, out);
        };
        const auto encoded = encode_parts(*target_, level_, parts, read, context_.options.stop, sink.take);
        if (!encoded)
            return encoded.error();
        if (!received.is_all()) {
            url_.clear();  // what is wrong once is not worth a second attempt
            return ok();
        }
    }
    return ok();
}

}  // namespace fardel
