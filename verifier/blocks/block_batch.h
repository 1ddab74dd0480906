// A batch of neighbouring blocks: read at once, then checked block by block. This part of the proof runs on many
// threads. Its results are values, which block_bytes.cpp turns into findings in order.
#pragma once

#include "placements.h"

#include <fardel/format/block_codec.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/head.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

// Readable blocks [first, last). Fewer than 4096 bytes lie between the stored bytes of two successive ones.
struct BlockBatch {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint64_t from = 0;  // offset in the block section: the end of the block before, or the first one's start
    std::uint64_t to = 0;
    std::uint64_t raw_bytes = 0;  // of all its blocks
};

std::vector<BlockBatch> plan_batches(const CheckedTables& tables, const std::vector<bool>& readable);

enum class BlockState : std::uint8_t { good, unknown, unreadable, damaged, undecodable };

struct BlockVerdict {
    BlockState state = BlockState::good;
    std::optional<Error> error;             // if unreadable or undecodable
    std::optional<std::uint64_t> gap_byte;  // file offset of the first byte before the block that is not zero
    std::size_t raw_at = 0;                 // offset in BatchProof::raw
    std::uint32_t raw_bytes = 0;
    std::uint32_t stored_bytes = 0;
    bool piece_wrong = false;                 // the block is a piece of an asset, and differs from the piece's hash
    std::vector<std::uint32_t> wrong_assets;  // whole assets in the block whose bytes have another id
    std::uint64_t proved_bytes = 0;           // of whole assets in the block whose bytes have their id
};

struct BatchProof {
    std::vector<std::byte> stored;
    std::vector<std::byte> raw;          // of the good blocks
    std::vector<BlockVerdict> verdicts;  // one per block
    BlockDecoder decoder;
};

// The blocks of an open bundle. Any number of threads may read it.
struct BlockInput {
    const ByteSource& source;
    const LayoutHead& layout;
    const CheckedTables& tables;
    std::span<const PlacedAsset> placed_assets;  // from check_placements()
};

// Overwrites `proof` and reuses its memory, about 2 MiB at most.
void prove_batch(const BlockInput& input, const BlockBatch& batch, BatchProof& proof);

}  // namespace fardel
