// ResolveGraph: which names and shaders reach which. The shaders of a script are reached one by one.
//
// There are three kinds of nodes, which ResolveNodes numbers: a name (only its file), a name as a whole (with every
// shader that it defines), a shader. All walks of a graph together have one limit.
#pragma once

#include "resolve_index.h"

#include <fardel/base/result.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fardel {

using ResolveNode = std::uint32_t;
using ResolveEdge = std::pair<ResolveNode, std::uint32_t>;  // from a node, usually to another one

class ResolveNodes {
public:
    ResolveNodes(const BundlePlan& plan, const ResolveIndex& index);

    std::uint32_t count() const noexcept { return count_; }
    std::uint32_t name_count() const noexcept { return names_; }
    ResolveNode name(std::uint32_t name) const noexcept { return name; }
    ResolveNode whole(std::uint32_t name) const noexcept { return has_shaders_[name] ? names_ + name : name; }
    ResolveNode shader(DefinitionIndex definition) const noexcept {
        return 2 * names_ + static_cast<std::uint32_t>(definition);
    }

private:
    std::uint32_t names_ = 0;
    std::uint32_t count_ = 0;
    std::vector<bool> has_shaders_;
};

class ResolveGraph {
public:
    // `edges`: those of the references; those between names and their shaders are added. `missing_edges`: from a node
    // to the index in ReferenceAudit::missing of a reference in it. `nodes` outlive the graph.
    ResolveGraph(const ResolveNodes& nodes, const ResolveIndex& index, std::vector<ResolveEdge> edges,
                 std::vector<ResolveEdge> missing_edges);

    struct Reached {
        std::vector<std::uint32_t> names;    // ascending
        std::vector<std::uint32_t> missing;  // ascending
    };
    // Everything that `starts` reach, including themselves. Error: limit.
    Result<Reached> reach(std::span<const ResolveNode> starts);
    // The other names that `name` reaches without passing a third name. `as_whole`: also from all of its shaders.
    Result<std::vector<std::uint32_t>> uses_of(std::uint32_t name, bool as_whole);

private:
    // Pairs, grouped by their first element.
    struct Rows {
        std::vector<std::size_t> first;
        std::vector<std::uint32_t> values;
        std::span<const std::uint32_t> operator[](ResolveNode node) const {
            return std::span(values).subspan(first[node], first[node + 1] - first[node]);
        }
    };

    Rows rows_of(std::vector<ResolveEdge> pairs) const;
    Status count_step();
    bool visit(ResolveNode node);
    template <class GoesOn>
    Status walk(std::span<const ResolveNode> starts, GoesOn goes_on);

    const ResolveNodes& nodes_;
    Rows targets_;
    Rows missing_;
    std::vector<std::uint32_t> seen_;  // number of the last walk that visited the node
    std::uint32_t walk_ = 0;
    std::vector<ResolveNode> order_;  // of the last walk
    std::uint64_t steps_ = 0;
};

}  // namespace fardel
