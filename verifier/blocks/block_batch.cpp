#include "block_batch.h"

#include <fardel/base/fits.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::uint64_t kBatchBytesMax = 1u << 20;  // of stored and of raw bytes; more than any single block has
constexpr std::uint64_t kGapBytesMax = limits::kRawBlockAlign;

// Reads the stored bytes of the batch at once. If that fails, reads block by block, so that a bad sector makes only one
// block unreadable.
void read_stored(const BlockInput& input, const BlockBatch& batch, BatchProof& proof) {
    proof.stored.resize(in_memory(batch.to - batch.from));
    const std::uint64_t at = input.layout.blocks_offset + batch.from;  // read_at() fails if it is outside the file
    if (input.source.read_at(at, proof.stored))
        return;
    std::ranges::fill(proof.stored, std::byte{0});
    for (std::uint32_t i = batch.first; i < batch.last; ++i) {
        const auto block = input.tables.find<BlockRecord>(i);
        if (!block)
            continue;
        const auto bytes =
            std::span(proof.stored).subspan(in_memory(block->stored_offset - batch.from), block->stored_bytes);
        Status status = input.source.read_at(input.layout.blocks_offset + block->stored_offset, bytes);
        if (status)
            continue;
        proof.verdicts[i - batch.first].state = BlockState::unreadable;
        proof.verdicts[i - batch.first].error = std::move(status).error();
    }
}

void check_raw_bytes(const BlockInput& input, std::uint32_t index, std::span<const std::byte> raw,
                     BlockVerdict& verdict) {
    for (const PlacedAsset& placed : assets_in_block(input.placed_assets, index)) {
        const auto asset = input.tables.find<AssetRecord>(placed.asset);
        if (!asset)
            continue;
        if (placed.block_count > 1) {
            const auto expected =
                input.tables.find_piece(std::uint64_t{asset->piece_first} + (index - placed.first_block));
            verdict.piece_wrong = expected && blake3(raw) != *expected;
        } else if (placed.offset + placed.bytes > raw.size() ||
                   id_from<AssetId>(blake3(raw.subspan(in_memory(placed.offset), in_memory(placed.bytes)))) !=
                       asset->id) {
            verdict.wrong_assets.push_back(placed.asset);
        } else {
            verdict.proved_bytes += placed.bytes;
        }
    }
}

}  // namespace

std::vector<BlockBatch> plan_batches(const CheckedTables& tables, const std::vector<bool>& readable) {
    std::vector<BlockBatch> batches;
    std::uint64_t end = 0;  // of the previous block's stored bytes; valid if end_known
    bool end_known = true;
    for (std::uint32_t i = 0; i < readable.size(); ++i) {
        const auto block = readable[i] ? tables.find<BlockRecord>(i) : std::nullopt;
        if (!block) {
            end_known = false;
            continue;
        }
        const std::uint64_t block_end = block->stored_offset + block->stored_bytes;
        const bool near = end_known && block->stored_offset - end < kGapBytesMax;  // offsets of readable blocks rise
        const bool goes_on = !batches.empty() && batches.back().last == i && near &&
                             block_end - batches.back().from <= kBatchBytesMax &&
                             batches.back().raw_bytes + block->raw_bytes <= kBatchBytesMax;
        if (!goes_on)
            batches.push_back({.first = i, .from = near ? end : block->stored_offset});
        batches.back().last = i + 1;
        batches.back().to = block_end;
        batches.back().raw_bytes += block->raw_bytes;
        end = block_end;
        end_known = true;
    }
    return batches;
}

void prove_batch(const BlockInput& input, const BlockBatch& batch, BatchProof& proof) {
    proof.verdicts.assign(batch.last - batch.first, {});
    read_stored(input, batch, proof);
    std::uint64_t end = batch.from;
    std::size_t raw_at = 0;
    proof.raw.resize(std::max(proof.raw.size(), in_memory(batch.raw_bytes)));
    for (std::uint32_t i = batch.first; i < batch.last; ++i) {
        BlockVerdict& verdict = proof.verdicts[i - batch.first];
        const auto block = input.tables.find<BlockRecord>(i);
        if (!block) {
            verdict.state = BlockState::unknown;
            continue;
        }
        // Between blocks only zeros: other bytes would be content that nothing covers.
        const auto gap =
            std::span(proof.stored).subspan(in_memory(end - batch.from), in_memory(block->stored_offset - end));
        const auto odd = std::ranges::find_if(gap, [](std::byte b) { return b != std::byte{0}; });
        if (odd != gap.end())
            verdict.gap_byte = input.layout.blocks_offset + end + static_cast<std::uint64_t>(odd - gap.begin());
        end = block->stored_offset + block->stored_bytes;

        verdict.raw_at = raw_at;
        verdict.raw_bytes = block->raw_bytes;
        verdict.stored_bytes = block->stored_bytes;
        if (verdict.state == BlockState::unreadable)
            continue;
        const auto stored =
            std::span(proof.stored).subspan(in_memory(block->stored_offset - batch.from), block->stored_bytes);
        // The stored bytes first: the decoder sees only what the tables vouch for.
        if (blake3(stored) != block->stored_hash) {
            verdict.state = BlockState::damaged;
            continue;
        }
        const auto raw = std::span(proof.raw).subspan(raw_at, block->raw_bytes);
        if (Status status = proof.decoder.decode(block->codec, stored, raw); !status) {
            verdict.state = BlockState::undecodable;
            verdict.error = std::move(status).error();
            continue;
        }
        raw_at += block->raw_bytes;
        check_raw_bytes(input, i, raw, verdict);
    }
}

}  // namespace fardel
