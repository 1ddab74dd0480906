#include "fetch/delta_path.h"

#include <fardel/base/fits.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

// A way from an old bundle to the target.
struct Way {
    std::uint64_t bytes = 0;  // declared
    DeltaPath path;           // the last step first
};

void add_ways(std::vector<Way>& ways, const Way& before, const BundleId& target, const FoundDeltaList& found) {
    for (const ListedDelta& listed : found.list) {
        if (!fits(before.bytes, listed.delta_bytes, kDeltaPathBytesMax))
            continue;
        Way way{.bytes = before.bytes + listed.delta_bytes, .path = before.path};
        way.path.push_back({.bundle = target, .tree = found.tree, .listed = listed});
        ways.push_back(std::move(way));
    }
}

}  // namespace

Result<DeltaPath> find_delta_path(const BundleId& target, const FoundDeltaList& list, const FetchDeltaList& fetch_list,
                                  const std::function<bool(const ListedDelta&)>& is_held) {
    std::vector<Way> ways;
    add_ways(ways, {}, target, list);
    std::unordered_set<BundleId> passed{target};
    std::size_t lists = 0;
    // From the target backwards, because a tree says which deltas lead to a bundle, and not where those from it lead.
    // Each list is a request, and in vain if what is here is another game, so the search ends after a few.
    while (!ways.empty()) {
        const auto best = std::ranges::min_element(ways, {}, &Way::bytes);
        Way way = std::move(*best);
        ways.erase(best);
        const ListedDelta& first = way.path.back().listed;
        if (is_held(first)) {
            std::ranges::reverse(way.path);
            return std::move(way.path);
        }
        if (way.path.size() == kDeltaStepsMax || lists == kDeltaListsMax || !passed.insert(first.old_bundle).second)
            continue;
        ++lists;
        FARDEL_TRY_ASSIGN(const FoundDeltaList found, fetch_list(first.old_bundle));
        add_ways(ways, way, first.old_bundle, found);
    }
    return DeltaPath{};
}

}  // namespace fardel
