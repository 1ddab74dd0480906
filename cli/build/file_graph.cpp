#include "file_graph.h"

#include "build/reference_graph.h"
#include "bundles/near_names.h"
#include "console/figures.h"

#include <fardel/format/name.h>
#include <fardel/packer/job_graph.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

namespace fardel {
namespace {

std::string_view node_kind_name(GraphNodeKind kind) {
    constexpr std::array<std::string_view, 6> kNodeKinds{"file", "job", "outside", "dependency", "run_time", "missing"};
    return kNodeKinds[static_cast<std::size_t>(kind)];
}

std::string_view edge_kind_name(GraphEdgeKind kind) {
    constexpr std::array<std::string_view, 3> kEdgeKinds{"declared", "found", "scanned"};
    return kEdgeKinds[static_cast<std::size_t>(kind)];
}

// ---- The graph ------------------------------------------------------------------------------------------------------

class FileGraphMaker {
public:
    explicit FileGraphMaker(const ResolvedProject& resolved) : built_(*resolved.graph), packed_(resolved.packed) {
        for (std::size_t i = 0; i < built_.paths.size(); ++i)
            sources_.emplace(built_.paths[i], FileIndex{static_cast<std::uint32_t>(i)});
    }

    FileGraph make() {
        for (const JobIndex job : built_.graph.order())
            add_job(job);
        for (std::size_t asset = 0; asset < packed_.assets.size(); ++asset)
            add_references(asset);
        std::ranges::stable_sort(made_.edges, {}, &GraphEdge::from);
        return std::move(made_);
    }

private:
    // `key`: what distinguishes it from other nodes of its kind.
    std::size_t node_of(GraphNodeKind kind, const std::string& key, const std::string& name) {
        const auto placed = numbers_.emplace(std::pair(kind, key), made_.nodes.size());
        if (placed.second)
            made_.nodes.push_back({kind, name});
        return placed.first->second;
    }
    std::size_t node_of(GraphNodeKind kind, const std::string& name) { return node_of(kind, name, name); }
    std::size_t node_of(FileIndex file) { return node_of(GraphNodeKind::file, built_.graph.files()[file].name.text()); }

    void add_job(JobIndex index) {
        const GraphJob& job = built_.graph.jobs()[index];
        std::vector<std::size_t> outputs;
        for (const FileIndex output : job.outputs)
            outputs.push_back(node_of(output));
        const std::size_t node =
            node_of(GraphNodeKind::job, std::to_string(position_of(index)), built_.graph.name_of(index));
        for (const std::size_t output : outputs)
            made_.edges.push_back({.kind = GraphEdgeKind::declared, .from = output, .to = node});
        for (const FileIndex source : job.sources)
            made_.edges.push_back({.kind = GraphEdgeKind::declared, .from = node, .to = node_of(source)});
        for (const FileIndex other : job.others)
            made_.edges.push_back(
                {.kind = GraphEdgeKind::declared, .from = node, .to = node_of(other), .optional = true});
        for (const std::string& path : built_.found[index]) {
            const auto source = sources_.find(path);
            const std::size_t to =
                source == sources_.end() ? node_of(GraphNodeKind::outside, path) : node_of(source->second);
            made_.edges.push_back({.kind = GraphEdgeKind::found, .from = node, .to = to});
        }
    }

    // The key of a planned asset is the name of its file in the sources, whatever name rules give it.
    std::size_t node_of_asset(std::size_t asset) {
        return node_of(GraphNodeKind::file, packed_.plan.assets[asset].key.text());
    }

    void add_references(std::size_t asset) {
        const auto& references = packed_.assets[asset].findings.references;
        for (std::size_t i = 0; i < references.size(); ++i) {
            const FoundTarget& found = packed_.resolved->assets[asset].targets[i];
            if (found.is_unread)
                continue;
            const std::size_t from = node_of_asset(asset);
            for (const std::size_t to : targets_of(found, references[i].spelling))
                made_.edges.push_back({.kind = GraphEdgeKind::scanned,
                                       .from = from,
                                       .to = to,
                                       .use = reference_use_name(references[i].use),
                                       .spelling = references[i].spelling,
                                       .line = references[i].line,
                                       .optional = references[i].optional});
        }
    }

    // Several if the name has variants: the game chooses one of them.
    std::vector<std::size_t> targets_of(const FoundTarget& found, const std::string& spelling) {
        std::vector<std::size_t> targets;
        if (!found.target) {
            targets.push_back(node_of(GraphNodeKind::missing, spelling));
        } else if (found.name) {
            for (const PlannedVariant& variant : packed_.plan.names[*found.name].variants)
                targets.push_back(node_of_asset(variant.asset));
        } else if (const auto* const internal = std::get_if<PlannedReference::Internal>(&*found.target)) {
            targets.push_back(node_of_asset(internal->asset));
        } else if (const auto* const foreign = std::get_if<PlannedReference::Foreign>(&*found.target)) {
            targets.push_back(node_of(GraphNodeKind::dependency, foreign->asset.hex()));
        } else {
            targets.push_back(
                node_of(GraphNodeKind::run_time, std::get<PlannedReference::Dynamic>(*found.target).name));
        }
        return targets;
    }

    const BuildGraph& built_;
    const PackPlan& packed_;
    std::unordered_map<std::string, FileIndex> sources_;  // by path
    std::map<std::pair<GraphNodeKind, std::string>, std::size_t> numbers_;
    FileGraph made_;
};

// ---- Around one file ------------------------------------------------------------------------------------------------

using NodeWays = std::vector<std::vector<std::size_t>>;  // by node

std::vector<bool> nodes_reached(std::size_t start, const NodeWays& ways) {
    std::vector<bool> reached(ways.size());
    std::vector<std::size_t> queue{start};
    reached[start] = true;
    while (!queue.empty()) {
        const std::size_t at = queue.back();
        queue.pop_back();
        for (const std::size_t next : ways[at])
            if (!reached[next]) {
                reached[next] = true;
                queue.push_back(next);
            }
    }
    return reached;
}

// The node of a file by its name, or of a path below the project's folder.
std::optional<std::size_t> find_node(const FileGraph& graph, const BuildGraph& built, const std::string& name) {
    std::string file = name;
    const auto is_node = [&](const GraphNode& node) {
        return (node.kind == GraphNodeKind::file && node.name == file) ||
               (node.kind == GraphNodeKind::outside && node.name == name);
    };
    auto found = std::ranges::find_if(graph.nodes, is_node);
    if (const auto at = std::ranges::find(built.paths, name); found == graph.nodes.end() && at != built.paths.end()) {
        file = built.graph.files()[FileIndex{static_cast<std::uint32_t>(at - built.paths.begin())}].name.text();
        found = std::ranges::find_if(graph.nodes, is_node);
    }
    if (found == graph.nodes.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - graph.nodes.begin());
}

bool is_file_of(const BuildGraph& built, const std::string& name) {
    return std::ranges::find(built.paths, name) != built.paths.end() ||
           std::ranges::any_of(built.graph.files(), [&](const GraphFile& file) { return file.name.view() == name; });
}

// ---- Text -----------------------------------------------------------------------------------------------------------

std::string format_node(const GraphNode& node) {
    const std::string name = printable(node.name);
    switch (node.kind) {
        case GraphNodeKind::job: return "job " + name;
        case GraphNodeKind::outside: return name + " (outside of the sources)";
        case GraphNodeKind::dependency: return name + " (of a dependency)";
        case GraphNodeKind::run_time: return name + " (looked for at run time)";
        case GraphNodeKind::missing: return name + " (missing)";
        case GraphNodeKind::file: break;
    }
    return name;
}

std::string format_edge(const GraphEdge& edge, const GraphNode& to) {
    std::string why;
    if (edge.kind == GraphEdgeKind::scanned)
        why = fmt::format("  {}{}{} {}", edge.line == 0 ? "" : fmt::format("line {}: ", edge.line),
                          edge.optional ? "optional " : "", edge.use, printable(edge.spelling));
    else if (edge.optional)
        why = "  may be read";
    return fmt::format("    {:8}  {}{}\n", edge_kind_name(edge.kind), format_node(to), why);
}

std::size_t count_edges(const FileGraph& graph, GraphEdgeKind kind) {
    return static_cast<std::size_t>(std::ranges::count(graph.edges, kind, &GraphEdge::kind));
}

}  // namespace

FileGraph file_graph(const ResolvedProject& resolved) { return FileGraphMaker(resolved).make(); }

Result<FileGraph> graph_around(const FileGraph& graph, const ResolvedProject& resolved, const std::string& name) {
    const auto start = find_node(graph, *resolved.graph, name);
    // A file that nothing needs and that needs nothing is in no edge.
    if (!start && is_file_of(*resolved.graph, name))
        return FileGraph{};
    if (!start) {
        std::vector<std::string_view> names;
        for (const GraphFile& file : resolved.graph->graph.files())
            names.push_back(file.name.view());
        const std::string suggestion = suggest_file(name, names);
        return Error(ErrorCode::missing,
                     printable(resolved.file) + ": no file of the project is called '" + printable(name) + "'" +
                         (suggestion.empty() ? "; 'fardel graph --all --json' lists all" : suggestion));
    }
    NodeWays down(graph.nodes.size()), up(graph.nodes.size());
    for (const GraphEdge& edge : graph.edges) {
        down[edge.from].push_back(edge.to);
        up[edge.to].push_back(edge.from);
    }
    const std::vector<bool> below = nodes_reached(*start, down), above = nodes_reached(*start, up);
    FileGraph around;
    std::map<std::size_t, std::size_t> numbers;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
        if (below[i] || above[i]) {
            numbers.emplace(i, around.nodes.size());
            around.nodes.push_back(graph.nodes[i]);
        }
    for (GraphEdge edge : graph.edges) {
        if (!below[edge.from] && !above[edge.to])
            continue;
        edge.from = numbers.at(edge.from);
        edge.to = numbers.at(edge.to);
        around.edges.push_back(std::move(edge));
    }
    return around;
}

std::string format_file_graph(const FileGraph& graph, std::string_view project) {
    std::string text = fmt::format("{}: {} declared, {} found, {} scanned\n", printable(project),
                                   format_count(count_edges(graph, GraphEdgeKind::declared), "edge", "edges"),
                                   format_count(count_edges(graph, GraphEdgeKind::found)),
                                   format_count(count_edges(graph, GraphEdgeKind::scanned)));
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const GraphEdge& edge = graph.edges[i];
        if (i == 0 || graph.edges[i - 1].from != edge.from)
            text += format_node(graph.nodes[edge.from]) + "\n";
        text += format_edge(edge, graph.nodes[edge.to]);
    }
    return text;
}

Json json_of(const FileGraph& graph) {
    Json nodes = json_list(graph.nodes, [](const GraphNode& node) {
        return Json{{"kind", node_kind_name(node.kind)}, {"name", node.name}};
    });
    Json edges = json_list(graph.edges, [](const GraphEdge& edge) {
        Json json{
            {"kind", edge_kind_name(edge.kind)}, {"from", edge.from}, {"to", edge.to}, {"optional", edge.optional}};
        if (edge.kind == GraphEdgeKind::scanned) {
            json.set("line", edge.line);
            json.set("use", edge.use);
            json.set("spelling", edge.spelling);
        }
        return json;
    });
    return Json{{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
}

std::string format_file_dot(const FileGraph& graph) {
    std::string text = "digraph fardel {\n  rankdir=LR;\n  node [shape=box];\n";
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode& node = graph.nodes[i];
        const std::string_view style = node.kind == GraphNodeKind::job       ? ", shape=ellipse"
                                       : node.kind == GraphNodeKind::missing ? ", color=red"
                                       : node.kind == GraphNodeKind::file    ? ""
                                                                             : ", style=dotted";
        text += fmt::format("  n{} [label=\"{}\"{}];\n", i, dot_text(node.name), style);
    }
    std::set<std::tuple<GraphEdgeKind, std::size_t, std::size_t>> drawn;
    for (const GraphEdge& edge : graph.edges) {
        const std::string_view style = edge.kind == GraphEdgeKind::found     ? " [style=dashed]"
                                       : edge.kind == GraphEdgeKind::scanned ? " [style=dotted]"
                                                                             : "";
        if (drawn.emplace(edge.kind, edge.from, edge.to).second)
            text += fmt::format("  n{} -> n{}{};\n", edge.from, edge.to, style);
    }
    return text + "}\n";
}

}  // namespace fardel
