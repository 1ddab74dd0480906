// RangeBlocks: the blocks that nothing else gives, as ranges of the bundle file: first what a game opens first, if a
// server has a trace.
#pragma once

#include "fetch/block_supplier.h"
#include "fetch/fetch_context.h"

#include <fardel/base/result.h>
#include <fardel/delivery/unit_transfer.h>
#include <fardel/format/ids.h>
#include <fardel/format/trace.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace fardel {

class RangeBlocks final : public BlockSupplier {
public:
    // `transfer`: of the bundle file into the incoming bundle. Both outlive the object.
    RangeBlocks(const FetchContext& context, const BundleId& bundle, UnitTransfer& transfer)
        : context_(context), id_(bundle), transfer_(transfer) {}
    BlockCost cost() const noexcept override { return BlockCost::range; }

    // Chooses all.
    Result<BlockChoice> choose(const BlockTarget& target, const std::vector<bool>& missing) override;
    // They go to the incoming bundle without the sink. Errors: those of UnitTransfer::run.
    Status fetch_blocks(std::span<const std::uint32_t> blocks, const BlockSink& sink) override;

private:
    Result<FetchUnit> unit_of(std::uint32_t block) const;
    // Returns the offsets of blocks in the order of the trace; none if these blocks are not worth asking for one.
    Result<std::vector<std::uint64_t>> find_order(const std::vector<FetchUnit>& units);

    const FetchContext& context_;
    const BundleId id_;
    UnitTransfer& transfer_;
    std::shared_ptr<const Bundle> target_;
    std::optional<Trace> trace_;  // after servers were asked for it; empty if none has a good one
    std::vector<FetchRequest> requests_;
};

}  // namespace fardel
