// BlockSupplier: one way in which blocks of a bundle come: from files that are here, by encoding what other bundles
// have, from a delta, asset by asset, or as ranges of the bundle file.
//
// The ways of a fetch stand in a list, what costs least first. Each chooses among the blocks that those before it do
// not give; that is the plan. Later each gives what it chose. For what one does not give, or gives wrong, there is
// another plan, in which those that cost more choose among it; only the failure of the last one, the ranges, ends a
// fetch.
#pragma once

#include <fardel/base/result.h>
#include <fardel/delivery/delta_segment.h>
#include <fardel/format/bundle.h>
#include <fardel/format/manifest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kRequestCost = 200;  // bytes of a request and of the head of its answer

// The bundle whose blocks are to come. Its tables are here and right.
struct BlockTarget {
    std::shared_ptr<const Bundle> bundle;  // reads the blocks that are here, too
    std::function<bool(const BlockRecord&)> holds;
    // At which this version of libzstd gives the blocks again, 0: at none; nothing: nobody has looked.
    std::optional<std::uint32_t> level;
};

// Returns by block whether it is here. Errors: those of the tables.
Result<std::vector<bool>> held_blocks(const BlockTarget& target);

struct BlockChoice {
    std::vector<bool> given;        // by block
    std::uint64_t fetch_bytes = 0;  // that this costs
    std::uint64_t requests = 0;
    std::uint64_t temporary_bytes = 0;   // of the disk, until the blocks are here
    std::optional<std::uint32_t> level;  // BlockTarget::level, if it was looked for
};

// Where blocks go.
struct BlockSink {
    TakeBlock take;
    std::function<void()> progress;  // something was received
};

// What a way costs for each block, from little to much.
enum class BlockCost : std::uint8_t {
    copy,      // nothing that matters: chosen for every block, also those that nobody has asked for
    encoding,  // the processor
    transfer,  // bytes of servers
    range,     // the bytes of the block itself
};

class BlockSupplier {
public:
    virtual ~BlockSupplier() = default;
    virtual BlockCost cost() const noexcept = 0;

    // Chooses some of the blocks that are missing (an entry per block), instead of what it chose before. Writes
    // nothing; it may ask servers for lists and sizes. Errors: those of the target's tables, cancelled.
    virtual Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) = 0;
    // Gives those of `blocks` (ascending) that it chose. Whatever does not come is no error, except to the ranges.
    // Errors: cancelled, those of the sink; no_space and io of what is needed for a while.
    virtual Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) = 0;
};

}  // namespace fardel
