// ResolveGraph: which names and shaders reach which. The shaders of a script are reached one by one.
//
// There are three kinds of nodes: a name (only its file), a name as a whole (with every shader that it defines), a
// shader. Call the add functions, then finish(), then reach() and uses_of(). All walks together have one limit.
#pragma once

#include "resolve_index.h"

#include <fardel/base/result.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

class ResolveGraph {
public:
    using Node = std::uint32_t;

    ResolveGraph(const BundlePlan& plan, const ResolveIndex& index);

    std::uint32_t node_count() const noexcept { return nodes_; }
    Node name(std::uint32_t name) const noexcept { return name; }
    Node whole(std::uint32_t name) const noexcept { return has_shaders_[name] ? names_ + name : name; }
    Node shader(DefinitionIndex definition) const noexcept {
        return 2 * names_ + static_cast<std::uint32_t>(definition);
    }

    void add_edge(Node from, Node to) { edges_.emplace_back(from, to); }
    // `missing`: index into ReferenceAudit::missing of a reference in `from`.
    void add_missing(Node from, std::uint32_t missing) { missing_edges_.emplace_back(from, missing); }
    void finish();

    struct Reached {
        std::vector<std::uint32_t> names;    // ascending
        std::vector<std::uint32_t> missing;  // ascending
    };
    // Everything that `starts` reach, including themselves. Error: limit.
    Result<Reached> reach(std::span<const Node> starts);
    // The other names that `name` reaches without passing a third name. `as_whole`: also from all of its shaders.
    Result<std::vector<std::uint32_t>> uses_of(std::uint32_t name, bool as_whole);

private:
    // Pairs, grouped by their first element.
    struct Rows {
        std::vector<std::size_t> first;
        std::vector<std::uint32_t> values;
        std::span<const std::uint32_t> operator[](Node node) const {
            return std::span(values).subspan(first[node], first[node + 1] - first[node]);
        }
    };

    Rows rows_of(std::vector<std::pair<Node, std::uint32_t>>& pairs) const;
    Status count_step();
    bool visit(Node node);
    template <class GoesOn>
    Status walk(std::span<const Node> starts, GoesOn goes_on);

    std::uint32_t names_ = 0;
    std::uint32_t nodes_ = 0;
    std::vector<bool> has_shaders_;
    std::vector<std::pair<Node, Node>> edges_;
    std::vector<std::pair<Node, std::uint32_t>> missing_edges_;
    Rows targets_;
    Rows missing_;
    std::vector<std::uint32_t> seen_;  // number of the last walk that visited the node
    std::uint32_t walk_ = 0;
    std::vector<Node> order_;  // of the last walk
    std::uint64_t steps_ = 0;
};

}  // namespace fardel
