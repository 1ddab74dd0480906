// fardel graph: which files of a project are made from which, which assets reference which, or both in one graph; as
// text, JSON or for Graphviz.

#include "build/file_graph.h"
#include "build/reference_graph.h"
#include "build/resolved_project.h"
#include "bundles/near_names.h"
#include "console/command_line.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/base/path_text.h>
#include <fardel/format/name.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_build.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {
namespace {

// Jobs to show: all, or those above and below one file.
using ShownJobs = std::set<JobIndex>;

// A file of the graph and the paths by which jobs may have looked for it.
struct ShownFile {
    std::set<FileIndex> files;
    std::set<std::string> paths;

    bool is_known() const { return !files.empty() || !paths.empty(); }
};

// By its name, by its path below the project's folder, or by what a job looked for outside of the sources.
ShownFile find_file(const BuildGraph& built, const std::string& name) {
    ShownFile shown;
    for (FileIndex file{}; file < built.graph.files().end_index(); ++file) {
        const std::size_t at = position_of(file);
        const bool is_source = at < built.paths.size();
        if (built.graph.files()[file].name.view() != name && (!is_source || built.paths[at] != name))
            continue;
        shown.files.insert(file);
        if (is_source)
            shown.paths.insert(built.paths[at]);
    }
    for (const std::vector<std::string>& found : built.found)
        if (std::ranges::find(found, name) != found.end())
            shown.paths.insert(name);
    return shown;
}

bool reads_any(const BuildGraph& built, JobIndex index, const std::set<FileIndex>& files,
               const std::set<std::string>& paths) {
    const GraphJob& job = built.graph.jobs()[index];
    const auto is_in = [&](FileIndex file) { return files.contains(file); };
    return std::ranges::any_of(job.sources, is_in) || std::ranges::any_of(job.others, is_in) ||
           std::ranges::any_of(built.found[index], [&](const std::string& path) { return paths.contains(path); });
}

ShownJobs jobs_around(const BuildGraph& built, const ShownFile& file) {
    const JobGraph& graph = built.graph;
    ShownJobs shown;
    std::set<FileIndex> below = file.files;
    std::set<FileIndex> above = below;
    // Jobs follow those that they wait for in the order: one pass forwards finds all jobs below, one pass backwards all
    // above.
    const auto& order = graph.order();
    for (const JobIndex index : order) {
        if (!reads_any(built, index, below, file.paths))
            continue;
        shown.insert(index);
        const auto& outputs = graph.jobs()[index].outputs;
        below.insert(outputs.begin(), outputs.end());
    }
    for (auto index = order.rbegin(); index != order.rend(); ++index) {
        const GraphJob& job = graph.jobs()[*index];
        if (std::ranges::none_of(job.outputs, [&](FileIndex output) { return above.contains(output); }))
            continue;
        shown.insert(*index);
        above.insert(job.sources.begin(), job.sources.end());
        above.insert(job.others.begin(), job.others.end());
    }
    return shown;
}

std::string names_of(const JobGraph& graph, const std::vector<FileIndex>& files) {
    std::string text;
    for (const FileIndex file : files)
        text += (text.empty() ? "" : ", ") + graph.files()[file].name.text();
    return text;
}

// Whether it is the output of a job that the project's target does not need.
bool is_left_out(const JobGraph& graph, const GraphFile& file) {
    return file.made_by && graph.jobs()[*file.made_by].left_out;
}

std::string format_text(const BuildGraph& built, const ShownJobs& shown, const std::string& project) {
    const JobGraph& graph = built.graph;
    const auto made = std::ranges::count_if(
        graph.files(), [&](const GraphFile& file) { return file.made_by && !is_left_out(graph, file); });
    std::string text =
        fmt::format("{}: {}, {}, {} made\n", printable(project), format_count(built.paths.size(), "source", "sources"),
                    format_count(graph.order().size(), "job", "jobs"),
                    format_count(static_cast<std::uint64_t>(made), "file", "files"));
    for (const JobIndex index : graph.order()) {
        if (!shown.contains(index))
            continue;
        const GraphJob& job = graph.jobs()[index];
        text += fmt::format(
            "{} ← {} ({}) ← {}\n", job.discovers_outputs ? "whatever it makes" : names_of(graph, job.outputs),
            graph.processor_of(index).name,
            job.at.file == project ? fmt::format("line {}", job.at.line) : job.at.text(), names_of(graph, job.sources));
        if (!job.others.empty())
            text += fmt::format("    may read {}\n", names_of(graph, job.others));
        for (const std::string& path : built.found[index])
            text += fmt::format("    looked for {}\n", printable(path));
    }
    return text;
}

Json json_of(const BuildGraph& built, const ShownJobs& shown) {
    const JobGraph& graph = built.graph;
    const auto names = [&](const std::vector<FileIndex>& files) {
        return json_list(files, [&](FileIndex file) { return graph.files()[file].name.text(); });
    };
    const auto file_json = [](const GraphFile& file) {
        return Json{{"name", file.name.text()}, {"made", file.made_by.has_value()}, {"in_bundle", !file.consumed}};
    };
    Json jobs = Json::array();
    for (const JobIndex index : graph.order()) {
        const GraphJob& job = graph.jobs()[index];
        if (shown.contains(index))
            jobs.push_back({{"processor", graph.processor_of(index).name},
                            {"file", job.at.file},
                            {"line", job.at.line},
                            {"sources", names(job.sources)},
                            {"others", names(job.others)},
                            {"found", built.found[index]},
                            {"outputs", names(job.outputs)},
                            {"discovers_outputs", job.discovers_outputs}});
    }
    Json files = Json::array();
    for (const GraphFile& file : graph.files())
        if (!is_left_out(graph, file))
            files.push_back(file_json(file));
    return Json{{"files", std::move(files)}, {"jobs", std::move(jobs)}};
}

// For Graphviz. Names are well formed, so they contain no quote, backslash or control character.
std::string format_dot(const BuildGraph& built, const ShownJobs& shown) {
    const JobGraph& graph = built.graph;
    std::set<FileIndex> drawn;
    std::string edges;
    const auto edge_from = [&](FileIndex file, JobIndex job, std::string_view style) {
        drawn.insert(file);
        edges += fmt::format("  f{} -> j{}{};\n", position_of(file), position_of(job), style);
    };
    for (const JobIndex index : graph.order()) {
        if (!shown.contains(index))
            continue;
        const GraphJob& job = graph.jobs()[index];
        edges +=
            fmt::format("  j{} [shape=ellipse, label=\"{}\"];\n", position_of(index), graph.processor_of(index).name);
        for (const FileIndex file : job.sources)
            edge_from(file, index, "");
        for (const FileIndex file : job.others)
            edge_from(file, index, " [style=dashed]");
        for (const std::string& path : built.found[index])
            if (const auto at = std::ranges::find(built.paths, path); at != built.paths.end())
                edge_from(FileIndex{static_cast<std::uint32_t>(at - built.paths.begin())}, index, " [style=dashed]");
        for (const FileIndex file : job.outputs) {
            drawn.insert(file);
            edges += fmt::format("  j{} -> f{};\n", position_of(index), position_of(file));
        }
    }
    std::string text = "digraph fardel {\n  rankdir=LR;\n  node [shape=box];\n";
    for (const FileIndex file : drawn)
        text += fmt::format("  f{} [label=\"{}\"{}];\n", position_of(file), graph.files()[file].name.view(),
                            graph.files()[file].consumed ? ", style=dotted" : "");
    return text + edges + "}\n";
}

Result<Exit> write_references(const std::string& path, const std::string& target, const std::string& name, bool json,
                              bool dot, Console& console) {
    FARDEL_TRY_ASSIGN(const ResolvedProject resolved, resolve_project(path, target));
    say_unconfined(resolved, console);
    std::vector<ReferenceEdge> edges = reference_edges(resolved.packed);
    if (!name.empty() && std::ranges::none_of(resolved.packed.plan.names,
                                              [&](const PlannedName& one) { return one.name.view() == name; }))
        return Error(ErrorCode::missing, path + ": the bundle has no name '" + printable(name) +
                                             "'; 'fardel graph --references' lists all assets with references");
    if (!name.empty())
        edges = edges_around(edges, name);
    return console.print(json  ? format_json(reference_json(edges)) + "\n"
                         : dot ? format_reference_dot(edges)
                               : format_reference_text(edges, path));
}

Result<Exit> write_all(const std::string& path, const std::string& target, const std::string& name, bool json, bool dot,
                       Console& console) {
    FARDEL_TRY_ASSIGN(const ResolvedProject resolved, resolve_with_graph(path, target));
    say_unconfined(resolved, console);
    FileGraph graph = file_graph(resolved);
    if (!name.empty()) {
        FARDEL_TRY_ASSIGN(graph, graph_around(graph, resolved, name));
    }
    return console.print(json  ? format_json(json_of(graph)) + "\n"
                         : dot ? format_file_dot(graph)
                               : format_file_graph(graph, path));
}

}  // namespace

Result<Exit> run_graph(Words words, Console& console) {
    CommandLine line("graph", "[DIR] [options]",
                     "Shows which files of DIR/fardel.toml are made from which, by which processor; nothing is built.",
                     "  fardel graph\n"
                     "  fardel graph mygame --of textures/wall.tga\n"
                     "  fardel graph mygame --dot | dot -Tsvg > graph.svg\n"
                     "  fardel graph mygame --references --of maps/dm01.bsp\n"
                     "  fardel graph mygame --all --of textures/wall.png\n");
    std::string folder;
    std::string target;
    std::string name;
    bool references = false;
    bool all = false;
    bool json = false;
    bool dot = false;
    line.text("DIR", "DIR", folder, "The folder of the fardel.toml; the current folder when left out");
    add_target_option(line, target);
    line.text("--of", "NAME", name,
              "Only what is made from this file, its name or its path in the project, and what it is made from; "
              "with --references, what it references and what references it; with --all, both");
    line.flag("--references", references, "Instead, which assets of the bundle reference which; runs jobs as needed");
    line.flag("--all", all,
              "One graph of what jobs declare, what they found when they last ran, and which assets reference which; "
              "runs jobs as needed");
    line.flag("--json", json, "As JSON");
    line.flag("--dot", dot, "For Graphviz's dot");
    if (const auto over = line.parse(words, console))
        return *over;
    if (json && dot)
        return line.mistake("--json and --dot are two forms; choose one", console);

    if (references && all)
        return line.mistake("--all has the references, too; choose one", console);

    FARDEL_TRY_ASSIGN(const std::string path, project_file_of(folder));
    folder = folder_part(path);
    if (all)
        return write_all(path, target, name, json, dot, console);
    if (references)
        return write_references(path, target, name, json, dot, console);
    FARDEL_TRY_ASSIGN(Project project, read_project(path));
    FARDEL_TRY_ASSIGN(project, project_for(std::move(project), target));
    FARDEL_TRY_ASSIGN(ProjectBuild build, ProjectBuild::open(std::move(project), folder, {}));
    FARDEL_TRY_ASSIGN(const BuildGraph built, build.graph());
    const ShownFile file = find_file(built, name);
    if (!name.empty() && !file.is_known()) {
        std::vector<std::string_view> names;
        for (const GraphFile& one : built.graph.files())
            names.push_back(one.name.view());
        const std::string suggestion = suggest_file(name, names);
        return Error(ErrorCode::missing, path + ": no file of the project is called '" + printable(name) + "'" +
                                             (suggestion.empty() ? "; 'fardel graph --json' lists all" : suggestion));
    }
    const auto& order = built.graph.order();
    const ShownJobs shown = name.empty() ? ShownJobs(order.begin(), order.end()) : jobs_around(built, file);
    return console.print(json  ? format_json(json_of(built, shown)) + "\n"
                         : dot ? format_dot(built, shown)
                               : format_text(built, shown, path));
}

}  // namespace fardel
