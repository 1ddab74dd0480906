#include "plan/trace_order.h"

#include "kit/bundles.h"
#include "kit/ids.h"

namespace fardel::tests::trace_order_test {

Trace trace_of(std::initializer_list<std::pair<std::string, std::uint64_t>> assets) {
    Trace trace;
    for (const auto& [name, size_bytes] : assets)
        trace.push_back({.size_bytes = size_bytes, .asset = id_of(name), .name = name});
    return trace;
}

std::vector<std::optional<std::uint32_t>> ranks_of(const BundlePlan& plan) {
    std::vector<std::optional<std::uint32_t>> ranks;
    for (const PlannedAsset& asset : plan.assets)
        ranks.push_back(asset.rank);
    return ranks;
}

TEST_CASE("trace order: what is opened within about one MiB has one rank; the rest has none") {
    BundlePlan plan;
    for (const char* name : {"a", "b", "c", "d", "e"})
        add(plan, name, name);
    rank_by_trace(plan, trace_of({{"d", 10}, {"b", kRankBytes - 10}, {"a", 5}, {"gone", 5}, {"e", kRankBytes * 50}}));
    CHECK(ranks_of(plan) == std::vector<std::optional<std::uint32_t>>{1, 0, std::nullopt, 0, 1});
}

TEST_CASE("trace order: a name means all its variants, and an asset with several names has the first rank") {
    BundlePlan plan;
    add(plan, "a", "1");
    const std::uint32_t second = add_asset(plan, "a@hd", "2");
    plan.names[0].variants.push_back({.tags = {{"quality", "hd"}}, .asset = second});
    plan.names.push_back({.name = name_of("also"), .variants = {{.asset = second}}});
    rank_by_trace(plan, trace_of({{"also", kRankBytes}, {"a", 1}}));
    CHECK(ranks_of(plan) == std::vector<std::optional<std::uint32_t>>{1, 0});
}

// A156
TEST_CASE("trace order: the largest trace with the largest sizes ranks in bounded numbers") {
    BundlePlan plan;
    add(plan, "last", "x");
    Trace trace;
    for (std::size_t i = 0; i + 1 < kTracedAssetsMax; ++i)
        trace.push_back({.size_bytes = kTracedSizeMax, .name = "n" + std::to_string(i)});
    trace.push_back({.size_bytes = kTracedSizeMax, .name = "last"});
    rank_by_trace(plan, trace);
    CHECK(plan.assets[0].rank == kTracedAssetsMax - 1);
}

}  // namespace fardel::tests::trace_order_test
