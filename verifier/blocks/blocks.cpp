#include "blocks.h"

#include <fardel/base/fits.h>

#include <algorithm>
#include <set>
#include <string>

namespace fardel {
namespace {

// Marks the blocks of assets that have several pieces.
std::vector<bool> blocks_of_pieces(std::span<const PlacedAsset> placed_assets, std::uint64_t count) {
    std::vector<bool> found(in_memory(count));
    for (const PlacedAsset& placed : placed_assets)
        for (std::uint32_t i = 0; placed.block_count > 1 && i < placed.block_count; ++i)
            found[placed.first_block + i] = true;
    return found;
}

class CodecUse {
public:
    explicit CodecUse(const LayoutHead& layout) : layout_(layout) {}

    void add(Codec codec, std::uint64_t block, VerifyFindings& findings) {
        used_.insert(codec);
        if (std::ranges::find(layout_.codecs, codec, &CodecVersion::codec) == layout_.codecs.end())
            findings.add(VerifierRule::codec_not_listed, TableKind::blocks, block,
                         "the layout head does not list its codec " + std::to_string(static_cast<unsigned>(codec)));
    }

    void finish(VerifyFindings& findings) const {
        for (const CodecVersion& codec : layout_.codecs)
            if (!used_.contains(codec.codec))
                findings.add(
                    VerifierRule::codec_not_used, "layout head",
                    "it lists codec " + std::to_string(static_cast<unsigned>(codec.codec)) + ", which no block uses");
    }

private:
    const LayoutHead& layout_;
    std::set<Codec> used_;
};

}  // namespace

std::vector<bool> check_blocks(const CheckedTables& tables, const LayoutHead& layout,
                               std::span<const PlacedAsset> placed_assets, bool has_manifest,
                               VerifyFindings& findings) {
    using enum TableKind;
    const std::uint64_t count = tables.count(blocks);
    // Whether a block must be aligned depends on the asset in it, so all placements must be known.
    const bool judge_alignment = has_manifest && tables[assets].is_complete() && tables[placements].is_complete();
    const std::vector<bool> of_pieces = blocks_of_pieces(placed_assets, count);
    std::vector<bool> readable(in_memory(count));
    CodecUse codecs(layout);
    std::uint64_t end = 0;  // of the previous block's stored bytes; valid if end_known
    bool end_known = true;
    bool all_known = true;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto block = tables.find<BlockRecord>(i);
        if (!block) {
            all_known = end_known = false;
            continue;
        }
        codecs.add(block->codec, i, findings);
        const auto where = [i] { return record_location(blocks, i); };
        if (!fits(block->stored_offset, block->stored_bytes, layout.blocks_bytes)) {
            findings.add(VerifierRule::block_misplaced, where(),
                         "its " + std::to_string(block->stored_bytes) + " stored bytes at offset " +
                             std::to_string(block->stored_offset) + " are outside the block section, which has " +
                             std::to_string(layout.blocks_bytes) + " bytes");
            end_known = false;
            continue;
        }
        if (block->stored_offset < end) {
            findings.add(VerifierRule::block_misplaced, where(),
                         "its stored bytes begin at " + std::to_string(block->stored_offset) +
                             ", inside those of an earlier block, which end at " + std::to_string(end));
            continue;
        }
        const bool aligned =
            block->codec == Codec::raw && block->raw_bytes >= limits::kRawBlockAlign && of_pieces[in_memory(i)];
        const std::uint64_t expected = aligned ? align_up(end, limits::kRawBlockAlign) : end;
        const bool misaligned = aligned && block->stored_offset % limits::kRawBlockAlign != 0;
        const bool may_be_aligned = !judge_alignment && block->codec == Codec::raw &&
                                    block->stored_offset == align_up(end, limits::kRawBlockAlign);
        if (misaligned || (end_known && block->stored_offset != expected && !may_be_aligned))
            findings.add(VerifierRule::block_misplaced, where(),
                         "its stored bytes begin at " + std::to_string(block->stored_offset) +
                             "; expected: " + (end_known ? std::to_string(expected) : "a multiple of 4096"));
        readable[in_memory(i)] = true;
        end = block->stored_offset + block->stored_bytes;
        end_known = true;
    }
    if (end_known && end != layout.blocks_bytes)
        findings.add(
            VerifierRule::blocks_end, "block section",
            "it has " + std::to_string(layout.blocks_bytes) + " bytes; the blocks in it end at " + std::to_string(end));
    if (all_known)
        codecs.finish(findings);
    return readable;
}

}  // namespace fardel
