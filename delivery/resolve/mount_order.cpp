// The order in which resolved bundles are mounted, and parts of a resolution.
#include <fardel/delivery/resolve.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace fardel {
namespace {

class MountOrder {
public:
    explicit MountOrder(Resolution& resolution) : bundles_(resolution.bundles) {
        std::unordered_map<BundleId, std::size_t> position;  // of roots, from 1
        for (std::size_t i = 0; i < resolution.roots.size(); ++i)
            position[resolution.roots[i].bundle] = i + 1;
        const auto position_of = [&](const ResolvedBundle& one) {
            const auto found = position.find(one.bundle);
            return found == position.end() ? 0 : found->second;
        };
        // By names and versions, and never by the order in which a server lists bundles: each client mounts in the same
        // order.
        std::ranges::sort(bundles_, [&](const ResolvedBundle& a, const ResolvedBundle& b) {
            if (const auto of_a = position_of(a), of_b = position_of(b); of_a != of_b)
                return of_a < of_b;
            if (a.name != b.name)
                return a.name < b.name;
            return is_older(a, b);
        });
        for (std::size_t i = 0; i < bundles_.size(); ++i)
            index_.emplace(bundles_[i].bundle, i);
        nodes_.resize(bundles_.size());
        add_edges();
    }

    // Returns the bundles in their order. What needs each other by name has no order: the first by name comes first.
    std::vector<ResolvedBundle> take() {
        for (std::size_t i = 0; i < nodes_.size(); ++i)
            if (nodes_[i].before == 0)
                ready_.insert(i);
        std::vector<ResolvedBundle> ordered;
        while (ordered.size() < nodes_.size()) {
            const std::size_t next = ready_.empty() ? break_cycle() : *ready_.begin();
            ready_.erase(next);
            place(next);
            ordered.push_back(std::move(bundles_[next]));
        }
        return ordered;
    }

private:
    struct Node {
        std::size_t before = 0;  // bundles that are to be mounted before it
        std::size_t needed = 0;  // of those: that it needs
        bool placed = false;
        std::vector<std::pair<std::size_t, bool>> after;  // what waits for it, and whether that needs it
    };

    static bool is_older(const ResolvedBundle& a, const ResolvedBundle& b) {
        if (const auto order = compare_builds(a.version, b.version); order != 0)
            return order < 0;
        return std::tie(a.version.text(), a.bundle) < std::tie(b.version.text(), b.bundle);
    }

    void add_edge(std::size_t first, std::size_t then, bool is_needed) {
        if (first == then)
            return;
        nodes_[first].after.emplace_back(then, is_needed);
        ++nodes_[then].before;
        nodes_[then].needed += is_needed ? 1 : 0;
    }

    void add_edges() {
        std::unordered_map<std::string, std::vector<std::size_t>> by_name;
        for (std::size_t i = 0; i < bundles_.size(); ++i) {
            for (const BundleId& id : bundles_[i].needs)
                if (const auto found = index_.find(id); found != index_.end())
                    add_edge(found->second, i, true);
            for (const ResolvedRequirement& one : bundles_[i].requirements)
                if (const auto found = index_.find(one.bundle); found != index_.end())
                    add_edge(found->second, i, true);
            if (!bundles_[i].name.empty())
                by_name[bundles_[i].name].push_back(i);
        }
        for (auto& [name, indexes] : by_name) {
            std::ranges::sort(indexes,
                              [&](std::size_t a, std::size_t b) { return is_older(bundles_[a], bundles_[b]); });
            for (std::size_t i = 1; i < indexes.size(); ++i)
                // Later mounts win, so of two versions of a name the newer one is mounted later.
                add_edge(indexes[i - 1], indexes[i], false);
        }
    }

    // Needs count more than ages.
    std::size_t break_cycle() const {
        std::size_t first = nodes_.size();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].placed)
                continue;
            if (nodes_[i].needed == 0)
                return i;
            first = std::min(first, i);
        }
        return first;
    }

    void place(std::size_t index) {
        nodes_[index].placed = true;
        for (const auto& [then, is_needed] : nodes_[index].after) {
            Node& waiting = nodes_[then];
            waiting.needed -= is_needed ? 1 : 0;
            if (--waiting.before == 0 && !waiting.placed)
                ready_.insert(then);
        }
    }

    std::vector<ResolvedBundle>& bundles_;
    std::unordered_map<BundleId, std::size_t> index_;
    std::vector<Node> nodes_;
    std::set<std::size_t> ready_;
};

}  // namespace

void sort_for_mounting(Resolution& resolution) { resolution.bundles = MountOrder(resolution).take(); }

Resolution reduced_to(const Resolution& resolution, const std::vector<ResolvedRequirement>& roots) {
    std::unordered_map<BundleId, const ResolvedBundle*> by_id;
    for (const ResolvedBundle& one : resolution.bundles)
        by_id.emplace(one.bundle, &one);
    std::unordered_set<BundleId> reached;
    std::vector<BundleId> open;
    const auto reach = [&](const BundleId& id) {
        if (by_id.contains(id) && reached.insert(id).second)
            open.push_back(id);
    };
    for (const ResolvedRequirement& root : roots)
        reach(root.bundle);
    while (!open.empty()) {
        const ResolvedBundle& one = *by_id.at(open.back());
        open.pop_back();
        for (const BundleId& id : one.needs)
            reach(id);
        for (const ResolvedRequirement& requirement : one.requirements)
            reach(requirement.bundle);
    }
    Resolution reduced{.roots = roots, .bundles = {}};
    for (const ResolvedBundle& one : resolution.bundles)
        if (reached.contains(one.bundle))
            reduced.bundles.push_back(one);
    sort_for_mounting(reduced);
    return reduced;
}

}  // namespace fardel
