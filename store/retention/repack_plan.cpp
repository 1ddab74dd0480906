#include "retention/repack_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace fardel {
namespace {

class RepackPlanner {
public:
    RepackPlanner(std::span<const RepackPack> packs, std::span<const RepackBundle> bundles, unsigned percent)
        : bundles_(bundles), percent_(percent) {
        for (const RepackPack& pack : packs)
            packs_.emplace(pack.id, pack);
        for (const RepackBundle& bundle : bundles)
            if (bundle.is_leaving)
                for (const Hash& pack : bundle.packs)
                    packs_.erase(pack);
    }

    std::vector<RepackGroup> run() {
        choose_sparse();
        for (const RepackBundle& bundle : bundles_)
            choose_of_many(bundle);
        return group();
    }

private:
    // Exact, whatever the sizes: 2^64 bytes times 100 do not fit.
    bool is_sparse(const RepackPack& pack) const {
        const std::uint64_t whole = pack.size_bytes / 100 * percent_ + pack.size_bytes % 100 * percent_ / 100;
        return pack.named_bytes != 0 && pack.named_bytes < whole;
    }
    void choose_sparse() {
        for (const auto& [id, pack] : packs_)
            if (is_sparse(pack))
                chosen_.insert(id);
    }
    void choose_of_many(const RepackBundle& bundle) {
        if (bundle.packs.size() <= kManyPacks || bundle.is_leaving)
            return;
        std::vector<Hash> smallest;
        for (const Hash& pack : bundle.packs)
            if (packs_.contains(pack))
                smallest.push_back(pack);
        std::ranges::sort(smallest, {}, [&](const Hash& pack) { return std::tuple(packs_.at(pack).size_bytes, pack); });
        smallest.resize(std::min(smallest.size(), bundle.packs.size() - kFewPacks + 1));
        if (smallest.size() > 1)  // one would only be copied
            chosen_.insert(smallest.begin(), smallest.end());
    }

    // Two bundles are of one group if both name a pack that is written again.
    std::vector<RepackGroup> group() const {
        std::vector<std::size_t> first(bundles_.size());  // a bundle of the same group before it, or itself
        std::iota(first.begin(), first.end(), std::size_t{0});
        const auto find_first = [&](std::size_t i) {
            while (first[i] != i)
                i = first[i] = first[first[i]];
            return i;
        };
        std::unordered_map<Hash, std::size_t> user;  // the first one
        for (std::size_t i = 0; i < bundles_.size(); ++i)
            for (const Hash& pack : bundles_[i].packs)
                if (chosen_.contains(pack))
                    first[find_first(i)] = find_first(user.emplace(pack, i).first->second);
        std::vector<std::size_t> order(bundles_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t i) {
            return std::tuple(UINT64_MAX - bundles_[i].used.seconds, bundles_[i].bundle);
        });
        std::map<std::size_t, RepackGroup> groups;
        for (const std::size_t i : order)
            if (std::ranges::any_of(bundles_[i].packs, [&](const Hash& pack) { return chosen_.contains(pack); }))
                groups[find_first(i)].bundles.push_back(bundles_[i].bundle);
        for (const auto& [pack, i] : user) {
            RepackGroup& of_pack = groups.at(find_first(i));
            of_pack.packs.push_back(pack);
            of_pack.pack_bytes += packs_.at(pack).size_bytes;
            of_pack.named_bytes += packs_.at(pack).named_bytes;
        }
        std::vector<RepackGroup> sorted;
        for (auto& [i, one] : groups) {
            std::ranges::sort(one.packs);
            sorted.push_back(std::move(one));
        }
        // Those that gain most first: a full disk may end the work at any of them.
        std::ranges::sort(sorted, [](const RepackGroup& a, const RepackGroup& b) {
            return std::tuple(b.pack_bytes - b.named_bytes, a.packs) <
                   std::tuple(a.pack_bytes - a.named_bytes, b.packs);
        });
        return sorted;
    }

    const std::span<const RepackBundle> bundles_;
    const unsigned percent_;
    std::unordered_map<Hash, RepackPack> packs_;
    std::unordered_set<Hash> chosen_;
};

}  // namespace

std::vector<RepackGroup> plan_repack(std::span<const RepackPack> packs, std::span<const RepackBundle> bundles,
                                     unsigned percent) {
    if (percent == 0)
        return {};
    return RepackPlanner(packs, bundles, percent).run();
}

}  // namespace fardel
