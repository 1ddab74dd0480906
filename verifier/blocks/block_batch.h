// A batch of neighbouring blocks, read with one read and judged block by block: the part of the proof that runs on many
// threads. What it finds is a value; contents.cpp makes findings of it, in order.
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

// Blocks [first, last), all readable, whose stored bytes follow each other with fewer than 4096 between.
struct BlockBatch {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint64_t from = 0;  // in the block section: the end of the block before, or the first one's start
    std::uint64_t to = 0;
};

std::vector<BlockBatch> plan_batches(const Tables& tables, const std::vector<bool>& readable);

enum class BlockState : std::uint8_t { good, unknown, unreadable, damaged, undecodable };

struct BlockVerdict {
    BlockState state = BlockState::good;
    std::optional<Error> error;             // of unreadable and undecodable
    std::optional<std::uint64_t> gap_byte;  // file offset of the first byte before the block that is not zero
    std::size_t raw_at = 0;                 // in BatchProof::raw
    std::uint32_t raw_bytes = 0;
    std::uint32_t stored_bytes = 0;
    bool piece_wrong = false;          // the piece that it is differs from its hash
    std::vector<std::uint32_t> wrong;  // assets inside it whose bytes have another id
    std::uint64_t proved_bytes = 0;    // of assets inside it that are right
};

struct BatchProof {
    std::vector<std::byte> stored;
    std::vector<std::byte> raw;          // of the good blocks
    std::vector<BlockVerdict> verdicts;  // one per block
    BlockDecoder decoder;
};

// The blocks of an open file, for any number of threads.
struct BlockInput {
    const ByteSource& source;
    const LayoutHead& layout;
    const Tables& tables;
    std::span<const Tenant> tenants;
};

// Fills `proof`, whose memory is used again; at most some 2 MiB.
void prove_batch(const BlockInput& input, const BlockBatch& batch, BatchProof& proof);

}  // namespace fardel
