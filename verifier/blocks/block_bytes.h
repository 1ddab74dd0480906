// Checks the bytes of all blocks: each block against its stored hash, its frame, each piece against its hash and each
// asset against its id.
#pragma once

#include "asset_classes.h"
#include "asset_labels.h"
#include "block_batch.h"

#include <fardel/verifier/finding.h>

#include <cstdint>
#include <vector>

namespace fardel {

struct BlockBytesPlan {
    BlockInput input;
    const std::vector<bool>& readable;  // from check_blocks()
    const AssetLabels& labels;
    AssetClasses* classes = nullptr;  // is given the beginning of each asset; nullptr: nobody asks
};

// Reads each readable block once, in order, a few at a time on each of `options.jobs` threads. A finding about damage
// names the assets in the damaged block. Returns the sum of the raw bytes of the assets whose bytes have their id. If
// stopped, the rest of the blocks is left out.
std::uint64_t check_block_bytes(const BlockBytesPlan& plan, const VerifyOptions& options, VerifyFindings& findings);

}  // namespace fardel
