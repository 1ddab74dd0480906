#include "resolve_graph.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace fardel {
namespace {

// The limit of all walks together. A hundred thousand roots, each of which reaches all of a large game, are refused.
constexpr std::uint64_t kStepsMax = std::uint64_t{1} << 30;

}  // namespace

ResolveNodes::ResolveNodes(const BundlePlan& plan, const ResolveIndex& index)
    : names_(static_cast<std::uint32_t>(plan.names.size())),
      count_(2 * names_ + static_cast<std::uint32_t>(index.definitions().size())),
      has_shaders_(names_) {
    for (DefinitionIndex definition{}; definition < index.definitions().end_index(); ++definition)
        for (const std::uint32_t file : index.names_of(index.definitions()[definition].asset))
            has_shaders_[file] = true;
}

ResolveGraph::ResolveGraph(const ResolveNodes& nodes, const ResolveIndex& index, std::vector<ResolveEdge> edges,
                           std::vector<ResolveEdge> missing_edges)
    : nodes_(nodes), missing_(rows_of(std::move(missing_edges))), seen_(nodes.count()) {
    for (DefinitionIndex definition{}; definition < index.definitions().end_index(); ++definition) {
        const auto files = index.names_of(index.definitions()[definition].asset);
        for (const std::uint32_t file : files) {
            edges.emplace_back(nodes.whole(file), nodes.shader(definition));
            edges.emplace_back(nodes.whole(file), nodes.name(file));
        }
        if (!files.empty())
            edges.emplace_back(nodes.shader(definition), nodes.name(files.front()));
    }
    targets_ = rows_of(std::move(edges));
}

ResolveGraph::Rows ResolveGraph::rows_of(std::vector<ResolveEdge> pairs) const {
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    Rows rows;
    rows.first.assign(nodes_.count() + std::size_t{1}, 0);
    rows.values.reserve(pairs.size());
    for (const auto& pair : pairs) {
        ++rows.first[pair.first + std::size_t{1}];
        rows.values.push_back(pair.second);
    }
    std::partial_sum(rows.first.begin(), rows.first.end(), rows.first.begin());
    return rows;
}

Status ResolveGraph::count_step() {
    if (++steps_ > kStepsMax)
        return Error(ErrorCode::limit,
                     "the roots reach more than " + std::to_string(kStepsMax) + " references in all; name fewer roots");
    return ok();
}

bool ResolveGraph::visit(ResolveNode node) {
    if (seen_[node] == walk_)
        return false;
    seen_[node] = walk_;
    order_.push_back(node);
    return true;
}

// Visits nodes breadth first; order_ lists them.
template <class GoesOn>
Status ResolveGraph::walk(std::span<const ResolveNode> starts, GoesOn goes_on) {
    ++walk_;
    order_.clear();
    for (const ResolveNode start : starts)
        visit(start);
    for (std::size_t at = 0; at < order_.size(); ++at) {
        const ResolveNode node = order_[at];
        if (!goes_on(node))
            continue;
        for (const ResolveNode target : targets_[node]) {
            FARDEL_TRY(count_step());
            visit(target);
        }
    }
    return ok();
}

Result<ResolveGraph::Reached> ResolveGraph::reach(std::span<const ResolveNode> starts) {
    FARDEL_TRY(walk(starts, [](ResolveNode) { return true; }));
    Reached reached;
    for (const ResolveNode node : order_) {
        if (node < nodes_.name_count())
            reached.names.push_back(node);
        for (const std::uint32_t missing : missing_[node])
            reached.missing.push_back(missing);
    }
    std::ranges::sort(reached.names);
    std::ranges::sort(reached.missing);
    reached.missing.erase(std::unique(reached.missing.begin(), reached.missing.end()), reached.missing.end());
    return reached;
}

Result<std::vector<std::uint32_t>> ResolveGraph::uses_of(std::uint32_t name, bool as_whole) {
    const ResolveNode start = as_whole ? nodes_.whole(name) : name;
    FARDEL_TRY(
        walk(std::span(&start, 1), [&](ResolveNode node) { return node >= nodes_.name_count() || node == name; }));
    std::vector<std::uint32_t> uses;
    for (const ResolveNode node : order_)
        if (node < nodes_.name_count() && node != name)
            uses.push_back(node);
    std::ranges::sort(uses);
    return uses;
}

}  // namespace fardel
