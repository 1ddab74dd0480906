// Ranks the assets of a plan by a trace: what was opened together will lie together in the file. Pure.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/trace.h>

#include <cstdint>

namespace fardel {

// The assets of about so many bytes, one after another in the trace, get one rank: within it, assets of one type are
// neighbours and share blocks.
inline constexpr std::uint64_t kRankBytes = 1u << 20;

// Sets PlannedAsset::rank of the assets behind names that the trace lists; a name means all its variants. What decides
// are the names, since the content may have changed after the trace was recorded. Other assets keep their rank.
void rank_by_trace(BundlePlan& plan, const Trace& trace);

}  // namespace fardel
