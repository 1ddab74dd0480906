#include "asset_order.h"

#include "plan_check.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace fardel {

Result<std::vector<std::uint32_t>> order_assets(std::span<const PlannedAsset> assets) {
    std::map<std::string_view, std::uint32_t> types;  // to their rank
    for (const PlannedAsset& asset : assets)
        types.try_emplace(content_type_of(asset), 0);
    std::uint32_t rank = 0;
    for (auto& [type, its_rank] : types)
        its_rank = rank++;

    struct Place {
        std::string_view key;
        std::uint32_t type;
        std::uint32_t asset;
    };
    std::vector<Place> places;
    places.reserve(assets.size());
    for (const PlannedAsset& asset : assets)
        places.push_back(
            {asset.key, types.find(content_type_of(asset))->second, static_cast<std::uint32_t>(places.size())});

    std::ranges::sort(places, {}, &Place::key);
    const auto twice = std::ranges::adjacent_find(places, {}, &Place::key);
    if (twice != places.end())
        return Error(ErrorCode::malformed, label_of(assets[twice->asset]) + ": two assets have this key");
    std::ranges::stable_sort(places, {}, &Place::type);

    std::vector<std::uint32_t> order;
    order.reserve(places.size());
    for (const Place& place : places)
        order.push_back(place.asset);
    return order;
}

}  // namespace fardel
