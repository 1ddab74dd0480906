#include "plan/trace_order.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace fardel {

void rank_by_trace(BundlePlan& plan, const Trace& trace) {
    std::unordered_map<std::string_view, std::uint32_t> ranks;  // by name
    std::uint64_t bytes = 0;                                    // at most kTracedAssetsMax · kTracedSizeMax
    for (const TracedAsset& traced : trace) {
        if (!traced.name.empty())
            ranks.try_emplace(
                traced.name, static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / kRankBytes, kTracedAssetsMax)));
        bytes += std::min(traced.size_bytes, kRankBytes);
    }
    for (const PlannedName& name : plan.names) {
        const auto found = ranks.find(name.name.view());
        if (found == ranks.end())
            continue;
        for (const PlannedVariant& variant : name.variants) {
            if (variant.asset >= plan.assets.size())
                continue;
            auto& rank = plan.assets[variant.asset].rank;
            rank = std::min(rank.value_or(found->second), found->second);
        }
    }
}

}  // namespace fardel
