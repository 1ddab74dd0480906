// Cycles of a graph: its strongly connected components, each after those that it leads to (Tarjan, 1972), and one cycle
// to show. No recursion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// `starts`: every node once, in the order in which to start; `targets_of(node)` returns a span of nodes. Linear.
template <class Targets>
std::vector<std::vector<std::uint32_t>> component_order(std::span<const std::uint32_t> starts, Targets targets_of) {
    struct Step {
        std::uint32_t node = 0;
        std::size_t next = 0;  // of its targets
    };
    std::vector<std::uint32_t> number(starts.size(), 0), lowest(starts.size(), 0);  // numbers from 1
    std::vector<bool> open(starts.size());
    std::vector<std::uint32_t> stack;
    std::vector<Step> path;
    std::vector<std::vector<std::uint32_t>> components;
    std::uint32_t count = 0;
    const auto enter = [&](std::uint32_t node) {
        number[node] = lowest[node] = ++count;
        open[node] = true;
        stack.push_back(node);
        path.push_back({.node = node});
    };
    const auto close = [&](std::uint32_t node) {
        auto& component = components.emplace_back();
        do {
            component.push_back(stack.back());
            open[stack.back()] = false;
            stack.pop_back();
        } while (component.back() != node);
        std::ranges::reverse(component);
    };
    for (const std::uint32_t start : starts) {
        if (number[start] == 0)
            enter(start);
        while (!path.empty()) {
            const std::uint32_t node = path.back().node;
            const auto targets = targets_of(node);
            if (path.back().next < targets.size()) {
                const std::uint32_t target = targets[path.back().next++];
                if (number[target] == 0)
                    enter(target);
                else if (open[target])
                    lowest[node] = std::min(lowest[node], number[target]);
                continue;
            }
            if (lowest[node] == number[node])
                close(node);
            path.pop_back();
            if (!path.empty())
                lowest[path.back().node] = std::min(lowest[path.back().node], lowest[node]);
        }
    }
    return components;
}

// Follows `next` from `at` until a node comes again, and returns the nodes between. `next(node)` returns one of the
// targets of `node`.
template <class Node, class Next>
std::vector<Node> cycle_from(Node at, Next next) {
    std::vector<Node> path;
    for (; std::ranges::find(path, at) == path.end(); at = next(at))
        path.push_back(at);
    path.erase(path.begin(), std::ranges::find(path, at));
    return path;
}

}  // namespace fardel
