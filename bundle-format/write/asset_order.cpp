#include "asset_order.h"

#include "plan_check.h"

#include <fardel/base/sort_unless_sorted.h>

#include <algorithm>
#include <map>
#include <string_view>

namespace fardel {

Result<std::vector<std::uint32_t>> order_assets(std::span<const PlannedAsset> assets) {
    std::map<std::string_view, std::uint32_t> types;  // maps a type to its rank
    auto found = types.end();                         // of the asset before: most have the type of their neighbour
    for (const PlannedAsset& asset : assets)
        if (const auto type = content_type_of(asset); found == types.end() || found->first != type)
            found = types.try_emplace(type, 0).first;
    std::uint32_t rank = 0;
    for (auto& [type, its_rank] : types)
        its_rank = rank++;

    struct OrderedAsset {
        std::string_view key;
        std::uint32_t type;
        std::uint32_t asset;
    };
    std::vector<OrderedAsset> ordered;
    ordered.reserve(assets.size());
    for (const PlannedAsset& asset : assets) {
        if (const auto type = content_type_of(asset); found->first != type)
            found = types.find(type);
        ordered.push_back({asset.key, found->second, static_cast<std::uint32_t>(ordered.size())});
    }

    // By key, then by type: assets of one type compress well together, and keys are unique, so the order never depends
    // on that of the sources.
    sort_unless_sorted(ordered, &OrderedAsset::key);
    const auto twice = std::ranges::adjacent_find(ordered, {}, &OrderedAsset::key);
    if (twice != ordered.end())
        return Error(ErrorCode::malformed, label_of(assets[twice->asset]) + ": two assets have this key");
    std::ranges::stable_sort(ordered, {}, &OrderedAsset::type);

    std::vector<std::uint32_t> order;
    order.reserve(ordered.size());
    for (const OrderedAsset& next : ordered)
        order.push_back(next.asset);
    return order;
}

std::vector<std::uint32_t> order_by_rank(std::span<const PlannedAsset> assets, std::vector<std::uint32_t> order) {
    constexpr std::uint64_t kLast = std::uint64_t{1} << 32;
    std::ranges::stable_sort(order, {}, [&](std::uint32_t asset) {
        return std::uint64_t{assets[asset].rank.value_or(0)} + (assets[asset].rank ? 0 : kLast);
    });
    return order;
}

}  // namespace fardel
