// One graph of a project, for `fardel graph --all`: its files and jobs, and why one needs the other: because the
// project declares it, because a job found it when it last ran, or because a scan of an asset found a reference.
#pragma once

#include "build/resolved_project.h"
#include "console/json.h"

#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class GraphNodeKind {
    file,        // of the sources, or made by a job
    job,         // "upper → a.txt", as builds log it
    outside,     // a path below the project's folder, outside of the sources
    dependency,  // the id of an asset in another bundle
    run_time,    // a name that the running game looks up
    missing,     // what a reference without a target spells
};

enum class GraphEdgeKind { declared, found, scanned };

struct GraphNode {
    GraphNodeKind kind{};
    std::string name;  // hostile if `missing`
};

// From what needs something to what it needs.
struct GraphEdge {
    GraphEdgeKind kind{};
    std::size_t from = 0;  // index into FileGraph::nodes
    std::size_t to = 0;
    std::string_view use;    // of a scanned reference: "texture"
    std::string spelling;    // likewise, as the asset spells it; hostile
    std::uint32_t line = 0;  // likewise, if it is known
    bool optional = false;   // likewise; of another edge: the job may read it
};

struct FileGraph {
    std::vector<GraphNode> nodes;
    std::vector<GraphEdge> edges;  // by `from`
};

FileGraph file_graph(const ResolvedProject& resolved);

// Only what this file needs and what needs it, directly or indirectly. `name`: of a file, or a path below the project's
// folder. Error: missing (with a name that is nearly the same, if there is one).
Result<FileGraph> graph_around(const FileGraph& graph, const ResolvedProject& resolved, const std::string& name);

std::string format_file_graph(const FileGraph& graph, std::string_view project);
Json json_of(const FileGraph& graph);
// For Graphviz: dashed edges are found, dotted ones scanned.
std::string format_file_dot(const FileGraph& graph);

}  // namespace fardel
