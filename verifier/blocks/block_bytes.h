// Checks the bytes of all blocks: each block against its stored hash, its frame, each piece against its hash and each
// asset against its id.
#pragma once

#include "asset_labels.h"
#include "block_batch.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

namespace fardel {

struct BlockBytesPlan {
    BlockInput input;
    const std::vector<bool>& readable;  // from check_blocks()
    const AssetLabels& labels;
};

struct BlockBytesOptions {
    unsigned jobs = 0;  // threads; 0: one per core
    // Called on the caller's thread with the stored bytes checked so far, and with those of all blocks.
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;
    std::stop_token stop;
};

struct BlockBytesTotals {
    std::uint64_t raw_bytes_proved = 0;  // of assets whose bytes have their id
    bool stopped = false;
};

// Reads each readable block once, in order, a few at a time on each thread. A finding about damage names the assets in
// the damaged block.
BlockBytesTotals check_block_bytes(const BlockBytesPlan& plan, const BlockBytesOptions& options,
                                   VerifyFindings& findings);

}  // namespace fardel
