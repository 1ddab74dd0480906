#include "asset_order.h"

#include "plan_check.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace fardel {

Result<std::vector<std::uint32_t>> order_assets(std::span<const PlannedAsset> assets) {
    std::map<std::string_view, std::uint32_t> types;  // maps a type to its rank
    for (const PlannedAsset& asset : assets)
        types.try_emplace(content_type_of(asset), 0);
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
    for (const PlannedAsset& asset : assets)
        ordered.push_back(
            {asset.key, types.find(content_type_of(asset))->second, static_cast<std::uint32_t>(ordered.size())});

    // By key, then by type: assets of one type compress well together, and keys are unique, so the order never depends
    // on that of the sources.
    std::ranges::sort(ordered, {}, &OrderedAsset::key);
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
