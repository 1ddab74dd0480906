#include "delta/delta_plan.h"

#include "delta/asset_match.h"
#include "delta/table_segments.h"

#include <fardel/base/fits.h>
#include <fardel/delivery/block_parts.h>
#include <fardel/delivery/delta_segment.h>
#include <fardel/delivery/raw_block.h>
#include <fardel/format/limits.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kMovedBytesMax = 512u << 10;  // how far content moves inside a large asset

// Collects segments of one form.
class SegmentBuilder {
public:
    SegmentBuilder(DeltaBlocks::Form form, std::vector<DeltaBlocks>& segments) : form_(form), segments_(segments) {}

    // `old_blocks`: what the block refers to, with raw sizes; the most useful first.
    void add(std::uint32_t block, std::uint64_t given_bytes,
             const std::vector<std::pair<std::uint32_t, std::uint32_t>>& old_blocks) {
        std::set<std::uint32_t> prefix = prefix_;
        std::uint64_t prefix_bytes = prefix_bytes_;
        const std::uint64_t own_max = prefix_bytes_max(given_bytes, 1);
        std::uint64_t own_bytes = 0;
        for (const auto& [old_block, raw_bytes] : old_blocks) {
            if (own_bytes + raw_bytes > own_max)
                break;
            own_bytes += raw_bytes;
            if (prefix.insert(old_block).second)
                prefix_bytes += raw_bytes;
        }
        if (!blocks_.empty() &&
            (given_bytes_ + given_bytes > kDeltaSegmentBytesMax || prefix_bytes > kDeltaPrefixBytesMax)) {
            finish();
            add(block, given_bytes, old_blocks);
            return;
        }
        prefix_ = std::move(prefix);
        prefix_bytes_ = prefix_bytes;
        blocks_.insert(block);
        given_bytes_ += given_bytes;
    }

    void finish() {
        if (!blocks_.empty())
            segments_.push_back({.form = form_, .prefix = runs_of(prefix_), .blocks = runs_of(blocks_)});
        prefix_.clear();
        blocks_.clear();
        prefix_bytes_ = given_bytes_ = 0;
    }

private:
    const DeltaBlocks::Form form_;
    std::vector<DeltaBlocks>& segments_;
    std::set<std::uint32_t> prefix_;
    std::set<std::uint32_t> blocks_;
    std::uint64_t prefix_bytes_ = 0;
    std::uint64_t given_bytes_ = 0;
};

// Finds the blocks of the old bundle that help to describe a part of the new one.
class OldBlocks {
public:
    OldBlocks(const Bundle& old, const std::unordered_map<std::uint32_t, AssetIndex>& matches)
        : old_(old), matches_(matches) {}

    Status add_for(const BlockPart& part, std::vector<std::pair<std::uint32_t, std::uint32_t>>& blocks) const {
        const auto match = matches_.find(static_cast<std::uint32_t>(part.asset));
        if (match == matches_.end())
            return ok();
        FARDEL_TRY_ASSIGN(const AssetRecord asset, old_.asset(match->second));
        FARDEL_TRY_ASSIGN(const PlacementRecord placement, old_.placement(match->second));
        const std::uint64_t pieces = asset.piece_count();
        if (pieces == 0)
            return ok();
        const auto piece_at = [&](std::uint64_t offset) { return std::min(offset >> asset.piece_log2, pieces - 1); };
        const std::uint64_t middle = piece_at(part.asset_offset);
        FARDEL_TRY(add(placement.first_block + middle, blocks));
        const std::uint64_t first = piece_at(part.asset_offset - std::min(part.asset_offset, kMovedBytesMax));
        const std::uint64_t last = piece_at(part.asset_offset + part.length_bytes - 1 + kMovedBytesMax);
        for (std::uint64_t away = 1; middle + away <= last || middle >= first + away; ++away) {
            if (middle + away <= last)
                FARDEL_TRY(add(placement.first_block + middle + away, blocks));
            if (middle >= first + away)
                FARDEL_TRY(add(placement.first_block + middle - away, blocks));
        }
        return ok();
    }

private:
    Status add(std::uint64_t block, std::vector<std::pair<std::uint32_t, std::uint32_t>>& blocks) const {
        const auto index = static_cast<std::uint32_t>(block);
        if (std::ranges::find(blocks, index, [](const auto& one) { return one.first; }) != blocks.end())
            return ok();
        FARDEL_TRY_ASSIGN(const BlockRecord record, old_.block(index));
        blocks.emplace_back(index, record.raw_bytes);
        return ok();
    }

    const Bundle& old_;
    const std::unordered_map<std::uint32_t, AssetIndex>& matches_;
};

// Which of the new blocks come out again when their raw bytes are encoded.
Result<std::vector<bool>> find_encodable(const Bundle& target, const std::vector<std::uint32_t>& indices,
                                         const std::vector<BlockRecord>& records, std::uint32_t level,
                                         const std::stop_token& stop) {
    std::vector<bool> encodable(indices.size(), false);
    RawBlocks reader(target);
    for (std::size_t at = 0; at < indices.size();) {
        if (stop.stop_requested())
            return Error(ErrorCode::cancelled, "making the delta was stopped");
        std::vector<RawBlock> batch;
        std::vector<std::vector<std::byte>> memory;
        const std::size_t first = at;
        for (std::size_t bytes = 0; at < indices.size() && bytes < kDeltaSegmentBytesMax; ++at) {
            memory.emplace_back(records[at].raw_bytes);
            FARDEL_TRY(reader.read(records[at], memory.back()));
            batch.push_back({records[at], memory.back()});
            bytes += records[at].raw_bytes;
        }
        FARDEL_TRY(encode_blocks(batch, level, 0, [&](std::size_t i, const auto& stored) {
            encodable[first + i] = stored.has_value();
            return ok();
        }));
    }
    return encodable;
}

}  // namespace

Result<DeltaPlan> plan_delta(const Bundle& old, const Bundle& target, const std::stop_token& stop) {
    DeltaPlan plan;
    FARDEL_TRY_ASSIGN(const auto old_hashes, blocks_by_hash(old));
    std::vector<std::uint32_t> missing;
    std::vector<BlockRecord> records;
    std::vector<bool> wanted(in_memory(target.table_count(TableKind::blocks)), false);
    for (std::uint32_t i = 0; i < wanted.size(); ++i) {
        FARDEL_TRY_ASSIGN(const BlockRecord block, target.block(i));
        if (old_hashes.contains(block.stored_hash)) {
            ++plan.shared_blocks;
            continue;
        }
        missing.push_back(i);
        records.push_back(block);
        wanted[i] = true;
    }
    plan.blocks = missing.size();
    FARDEL_TRY_ASSIGN(plan.level, find_level(target, records));
    FARDEL_TRY_ASSIGN(const std::vector<bool> encodable, find_encodable(target, missing, records, plan.level, stop));

    FARDEL_TRY_ASSIGN(const std::vector<BlockPart> parts, block_parts(target, wanted));
    std::vector<AssetIndex> assets;
    for (const BlockPart& part : parts)
        if (assets.empty() || assets.back() != part.asset)
            assets.push_back(part.asset);
    FARDEL_TRY_ASSIGN(const auto matches, match_assets(old, target, assets, stop));

    const OldBlocks old_blocks(old, matches);
    SegmentBuilder raw(DeltaBlocks::Form::raw, plan.directory.blocks);
    auto part = parts.begin();
    for (std::size_t i = 0; i < missing.size(); ++i) {
        std::vector<BlockPart> inside;
        for (; part != parts.end() && part->block == missing[i]; ++part)
            inside.push_back(*part);
        if (!encodable[i])
            continue;
        std::ranges::stable_sort(inside, std::ranges::greater(), &BlockPart::length_bytes);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> helpful;
        for (const BlockPart& one : inside)
            FARDEL_TRY(old_blocks.add_for(one, helpful));
        raw.add(missing[i], records[i].raw_bytes, helpful);
    }
    raw.finish();
    SegmentBuilder stored(DeltaBlocks::Form::stored, plan.directory.blocks);
    for (std::size_t i = 0; i < missing.size(); ++i)
        if (!encodable[i]) {
            stored.add(missing[i], records[i].stored_bytes, {});
            ++plan.stored_blocks;
        }
    stored.finish();

    FARDEL_TRY_ASSIGN(plan.directory.tables, plan_table_segments(old_tables_of(old), new_tables_of(target)));
    return plan;
}

}  // namespace fardel
