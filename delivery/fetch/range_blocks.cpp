#include "fetch/range_blocks.h"

#include "fetch/trace_fetch.h"

#include <fardel/format/head.h>

#include <utility>

namespace fardel {
namespace {

constexpr std::uint64_t kTraceWorthBytes = 1u << 20;  // less comes at once in any order

}  // namespace

Result<FetchUnit> RangeBlocks::unit_of(std::uint32_t block) const {
    FARDEL_TRY_ASSIGN(const BlockRecord record, target_->block(block));
    return FetchUnit{.offset = target_->layout_head().blocks_offset + record.stored_offset,
                     .length_bytes = record.stored_bytes,
                     .hash = record.stored_hash};
}

Result<BlockChoice> RangeBlocks::choose(const BlockTarget& target, const std::vector<bool>& missing) {
    target_ = target.bundle;
    std::vector<FetchUnit> units;
    for (std::uint32_t i = 0; i < missing.size(); ++i)
        if (missing[i]) {
            FARDEL_TRY_ASSIGN(const FetchUnit unit, unit_of(i));
            units.push_back(unit);
        }
    FARDEL_TRY_ASSIGN(const auto first, find_order(units));
    requests_ = make_requests_in_order(units, first);
    BlockChoice choice{.given = missing, .requests = requests_.size()};
    for (const FetchRequest& request : requests_)
        choice.fetch_bytes += bytes_of(request);
    if (!units.empty() && transfer_.asks_for_whole_files()) {
        choice.fetch_bytes = units.back().end();
        choice.requests = 1;
    }
    return choice;
}

Result<std::vector<std::uint64_t>> RangeBlocks::find_order(const std::vector<FetchUnit>& units) {
    std::vector<std::uint64_t> offsets;
    std::uint64_t bytes = 0;
    for (const FetchUnit& unit : units)
        bytes += unit.length_bytes;
    if (bytes < kTraceWorthBytes || context_.options.repairs)
        return offsets;
    if (!trace_) {
        FARDEL_TRY_ASSIGN(trace_, fetch_trace(context_.client, context_.trees, id_, context_.options.stop));
    }
    FARDEL_TRY_ASSIGN(const auto blocks, blocks_in_order(*target_, *trace_));
    for (const std::uint32_t index : blocks) {
        FARDEL_TRY_ASSIGN(const FetchUnit unit, unit_of(index));
        offsets.push_back(unit.offset);
    }
    return offsets;
}

Status RangeBlocks::fetch_blocks(std::span<const std::uint32_t>, const BlockSink& sink) {
    return transfer_.run(std::exchange(requests_, {}), context_.options.stop, sink.progress);
}

}  // namespace fardel
