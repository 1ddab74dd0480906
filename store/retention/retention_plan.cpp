#include "retention/retention_plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace fardel {
namespace {

class Planner {
public:
    Planner(std::span<const RetentionFacts> bundles, const RetentionRules& rules)
        : bundles_(bundles), rules_(rules), stays_(bundles.size(), true), pinned_(bundles.size(), false) {
        for (std::size_t i = 0; i < bundles.size(); ++i)
            index_.emplace(bundles[i].bundle, i);
        needs_.resize(bundles.size());
        dependents_.resize(bundles.size());
        for (std::size_t i = 0; i < bundles.size(); ++i)
            for (const BundleId& need : bundles[i].needs)
                if (const auto found = index_.find(need); found != index_.end() && found->second != i) {
                    needs_[i].push_back(found->second);
                    dependents_[found->second].push_back(i);
                }
    }

    std::vector<PlannedRemoval> run() {
        find_last_uses();
        order_by_use();
        std::vector<std::size_t> roots;
        for (std::size_t i = 0; i < bundles_.size(); ++i)
            if (bundles_[i].is_pinned && !bundles_[i].is_unlicensed)
                roots.push_back(i);
        for (const std::size_t i : closure(std::move(roots)))
            pinned_[i] = true;
        remove_by_reason();
        remove_over_quota();
        remove_over_budget();
        return std::move(removals_);
    }

private:
    std::vector<std::size_t> closure(std::vector<std::size_t> found) const {
        std::vector<bool> seen(bundles_.size(), false);
        for (const std::size_t i : found)
            seen[i] = true;
        for (std::size_t at = 0; at < found.size(); ++at)
            for (const std::size_t need : needs_[found[at]])
                if (!seen[need]) {
                    seen[need] = true;
                    found.push_back(need);
                }
        return found;
    }

    // A bundle was used when one that needs it was.
    void find_last_uses() {
        std::vector<std::size_t> latest(bundles_.size());
        std::iota(latest.begin(), latest.end(), std::size_t{0});
        std::ranges::stable_sort(latest, std::greater<>(), [&](std::size_t i) { return bundles_[i].used; });
        used_.resize(bundles_.size());
        std::vector<bool> seen(bundles_.size(), false);
        for (const std::size_t first : latest) {
            std::vector<std::size_t> open;
            if (!seen[first])
                open.push_back(first);
            seen[first] = true;
            while (!open.empty()) {
                const std::size_t i = open.back();
                open.pop_back();
                used_[i] = bundles_[first].used;
                for (const std::size_t need : needs_[i])
                    if (!seen[need]) {
                        seen[need] = true;
                        open.push_back(need);
                    }
            }
        }
    }

    // The least recently used first; of those used at one time, dependents first.
    void order_by_use() {
        std::vector<std::size_t> waits(bundles_.size());
        std::vector<std::size_t> depth(bundles_.size(), 0);  // the longest chain of dependents
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < bundles_.size(); ++i)
            if ((waits[i] = dependents_[i].size()) == 0)
                open.push_back(i);
        for (std::size_t at = 0; at < open.size(); ++at)
            for (const std::size_t need : needs_[open[at]]) {
                depth[need] = std::max(depth[need], depth[open[at]] + 1);
                if (--waits[need] == 0)
                    open.push_back(need);
            }
        order_.resize(bundles_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::sort(order_, {},
                          [&](std::size_t i) { return std::tuple(used_[i], depth[i], bundles_[i].bundle); });
    }

    bool can_go(std::size_t i) const {
        return stays_[i] && !pinned_[i] &&
               // What a bundle needs goes after it, never before.
               std::ranges::none_of(dependents_[i], [&](std::size_t dependent) { return stays_[dependent]; });
    }
    void remove(std::size_t i, RemovalReason reason) {
        stays_[i] = false;
        removals_.push_back({.bundle = bundles_[i].bundle, .reason = reason});
    }

    bool is_concerned(const RetentionFacts& bundle) const {
        return rules_.source.empty() || bundle.source == rules_.source;
    }

    std::optional<RemovalReason> own_reason(std::size_t i) const {
        const RetentionFacts& bundle = bundles_[i];
        if (bundle.is_removed_by_hand)
            return RemovalReason::by_hand;
        if (bundle.is_released)
            return RemovalReason::released;
        // Judged by the ends of tokens alone: a store knows no trust policy, so a stranger's token can keep bytes on
        // disk, and mounts nothing.
        if (bundle.is_unlicensed)
            return RemovalReason::unlicensed;
        if (bundle.is_expired)
            return RemovalReason::expired;
        if (rules_.unused_for_s && is_concerned(bundle) && used_[i] + *rules_.unused_for_s < rules_.now)
            return RemovalReason::unused;
        return std::nullopt;
    }

    // In this order, a bundle comes after those that need it.
    void remove_by_reason() {
        for (const std::size_t i : order_)
            if (const auto reason = own_reason(i); reason && can_go(i))
                remove(i, *reason);
    }

    void remove_over_quota() {
        if (!rules_.source_bytes_max)
            return;
        std::map<std::string, std::uint64_t> bytes_of;
        for (std::size_t i = 0; i < bundles_.size(); ++i)
            if (stays_[i] && !bundles_[i].source.empty())
                bytes_of[bundles_[i].source] += bundles_[i].file_bytes;
        for (const std::size_t i : order_) {
            if (bundles_[i].source.empty() || !is_concerned(bundles_[i]) || !can_go(i))
                continue;
            std::uint64_t& bytes = bytes_of[bundles_[i].source];
            if (bytes <= *rules_.source_bytes_max)
                continue;
            bytes -= bundles_[i].file_bytes;
            remove(i, RemovalReason::source_quota);
        }
    }

    void remove_over_budget() {
        if (!rules_.bytes_max)
            return;
        struct Pack {
            std::uint64_t size_bytes = 0;
            std::size_t bundles = 0;  // that stay and name it
        };
        std::unordered_map<Hash, Pack> packs;
        for (std::size_t i = 0; i < bundles_.size(); ++i)
            if (stays_[i])
                for (const PackOnDisk& pack : bundles_[i].packs) {
                    packs[pack.id].size_bytes = pack.size_bytes;
                    ++packs[pack.id].bundles;
                }
        std::uint64_t bytes = 0;
        for (const auto& [id, pack] : packs)
            bytes += pack.size_bytes;
        for (const std::size_t i : order_) {
            if (bytes <= *rules_.bytes_max)
                return;
            if (!can_go(i))
                continue;
            for (const PackOnDisk& pack : bundles_[i].packs)
                // A pack goes with the last bundle that names it, so removing one of several that share saves nothing
                // yet.
                if (Pack& shared = packs[pack.id]; --shared.bundles == 0)
                    bytes -= shared.size_bytes;
            remove(i, RemovalReason::budget);
        }
    }

    const std::span<const RetentionFacts> bundles_;
    const RetentionRules& rules_;
    std::unordered_map<BundleId, std::size_t> index_;
    std::vector<std::vector<std::size_t>> needs_;
    std::vector<std::vector<std::size_t>> dependents_;
    std::vector<UnixTime> used_;  // including uses of dependents
    std::vector<std::size_t> order_;
    std::vector<bool> stays_;
    std::vector<bool> pinned_;  // or needed by a pinned one
    std::vector<PlannedRemoval> removals_;
};

}  // namespace

std::vector<PlannedRemoval> plan_retention(std::span<const RetentionFacts> bundles, const RetentionRules& rules) {
    return Planner(bundles, rules).run();
}

}  // namespace fardel
