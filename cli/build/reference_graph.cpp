#include "reference_graph.h"

#include "console/figures.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

namespace fardel {
namespace {

// ---- Edges ----------------------------------------------------------------------------------------------------------

std::vector<std::string> asset_names_of(const BundlePlan& plan) {
    std::vector<std::string> names(plan.assets.size());
    for (const PlannedName& name : plan.names)
        for (const PlannedVariant& variant : name.variants)
            // Of several names, the first in byte order, whatever the order of the plan.
            if (names[variant.asset].empty() || name.name.view() < names[variant.asset])
                names[variant.asset] = name.name.text();
    return names;
}

void add_target(const FoundTarget& found, const BundlePlan& plan, const std::vector<std::string>& names,
                ReferenceEdge& edge) {
    if (!found.target) {
        edge.kind = "missing";
    } else if (found.name) {
        edge.kind = "inside";
        edge.to = plan.names[*found.name].name.text();
    } else if (const auto* const internal = std::get_if<PlannedReference::Internal>(&*found.target)) {
        edge.kind = "shader";
        edge.to = names[internal->asset];
    } else if (const auto* const foreign = std::get_if<PlannedReference::Foreign>(&*found.target)) {
        edge.kind = "dependency";
        edge.to = foreign->asset.hex();
    } else {
        edge.kind = "run_time";
        edge.to = std::get<PlannedReference::Dynamic>(*found.target).name;
    }
}

// Returns all names that `name` reaches along pairs of (from, to).
std::set<std::string> reached_from(const std::string& name, const std::multimap<std::string, std::string>& ways) {
    std::set<std::string> reached{name};
    std::vector<std::string> queue{name};
    while (!queue.empty()) {
        const std::string at = std::move(queue.back());
        queue.pop_back();
        for (auto [way, end] = ways.equal_range(at); way != end; ++way)
            if (reached.insert(way->second).second)
                queue.push_back(way->second);
    }
    return reached;
}

}  // namespace

std::vector<ReferenceEdge> reference_edges(const PackPlan& packed) {
    const std::vector<std::string> names = asset_names_of(packed.plan);
    std::vector<ReferenceEdge> edges;
    for (std::size_t asset = 0; asset < packed.assets.size(); ++asset) {
        const auto& references = packed.assets[asset].findings.references;
        for (std::size_t i = 0; i < references.size(); ++i) {
            if (packed.resolved->assets[asset].targets[i].is_unread)
                continue;
            ReferenceEdge edge{.from = names[asset],
                               .spelling = references[i].spelling,
                               .use = reference_use_name(references[i].use),
                               .line = references[i].line,
                               .optional = references[i].optional,
                               .kind = {},
                               .to = {}};
            add_target(packed.resolved->assets[asset].targets[i], packed.plan, names, edge);
            edges.push_back(std::move(edge));
        }
    }
    std::ranges::stable_sort(edges, {}, &ReferenceEdge::from);
    return edges;
}

std::vector<ReferenceEdge> edges_around(const std::vector<ReferenceEdge>& edges, std::string_view name) {
    std::multimap<std::string, std::string> down;
    std::multimap<std::string, std::string> up;
    for (const ReferenceEdge& edge : edges) {
        down.emplace(edge.from, edge.to);
        up.emplace(edge.to, edge.from);
    }
    const auto below = reached_from(std::string(name), down);
    up.erase(std::string());  // missing references have no common target
    const auto above = reached_from(std::string(name), up);
    std::vector<ReferenceEdge> around;
    std::ranges::copy_if(edges, std::back_inserter(around), [&](const ReferenceEdge& edge) {
        return below.contains(edge.from) || (!edge.to.empty() && above.contains(edge.to));
    });
    return around;
}

// ---- Text, JSON and DOT ---------------------------------------------------------------------------------------------

std::string format_reference_text(const std::vector<ReferenceEdge>& edges, std::string_view project) {
    const auto missing =
        std::ranges::count_if(edges, [](const ReferenceEdge& edge) { return edge.to.empty() && !edge.optional; });
    std::string text =
        fmt::format("{}: {}, {} missing\n", printable(project), format_count(edges.size(), "reference", "references"),
                    format_count(static_cast<std::uint64_t>(missing)));
    std::string_view from;
    for (const ReferenceEdge& edge : edges) {
        if (edge.from != from)
            text += fmt::format("{}\n", printable(edge.from));
        from = edge.from;
        const std::string where = edge.line != 0 ? fmt::format("{}: ", edge.line) : "";
        const std::string_view how = edge.kind == "inside"       ? ""
                                     : edge.kind == "shader"     ? " (defines it)"
                                     : edge.kind == "dependency" ? " (of a dependency)"
                                     : edge.kind == "run_time"   ? " (looked for at run time)"
                                     : edge.optional             ? "not there, optional"
                                                                 : "missing";
        text += fmt::format("    {}{} {} → {}{}\n", where, edge.use, printable(edge.spelling), printable(edge.to), how);
    }
    return text;
}

Json reference_json(const std::vector<ReferenceEdge>& edges) {
    Json list = json_list(edges, [](const ReferenceEdge& edge) {
        return Json{{"from", edge.from},
                    {"line", edge.line},
                    {"spelling", edge.spelling},
                    {"use", edge.use},
                    {"optional", edge.optional},
                    {"kind", edge.kind},
                    {"to", edge.to.empty() ? Json() : Json(edge.to)}};
    });
    return Json{{"references", std::move(list)}};
}

std::string dot_text(std::string_view text) {
    std::string out;
    for (const char c : printable(text)) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out;
}

std::string format_reference_dot(const std::vector<ReferenceEdge>& edges) {
    std::map<std::pair<std::string_view, std::string>, std::size_t> nodes;  // kind, label
    std::string shapes;
    const auto node_of = [&](std::string_view kind, const std::string& label) {
        const auto placed = nodes.emplace(std::pair(kind, label), nodes.size());
        if (placed.second) {
            const std::string_view style = kind == "missing"                            ? ", color=red"
                                           : kind == "dependency" || kind == "run_time" ? ", style=dotted"
                                                                                        : "";
            shapes += fmt::format("  n{} [label=\"{}\"{}];\n", placed.first->second, dot_text(label), style);
        }
        return placed.first->second;
    };
    std::string lines;
    std::set<std::tuple<std::size_t, std::size_t, bool>> drawn;
    for (const ReferenceEdge& edge : edges) {
        const std::size_t from = node_of("inside", edge.from);
        const std::size_t to =
            node_of(edge.kind == "shader" ? "inside" : edge.kind, edge.to.empty() ? edge.spelling : edge.to);
        if (drawn.emplace(from, to, edge.optional).second)
            lines += fmt::format("  n{} -> n{}{};\n", from, to, edge.optional ? " [style=dashed]" : "");
    }
    return "digraph references {\n  rankdir=LR;\n  node [shape=box];\n" + shapes + lines + "}\n";
}

}  // namespace fardel
