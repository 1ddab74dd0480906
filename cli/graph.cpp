// fardel graph: which files of a project are made of which, or which assets name which; as text, JSON or for Graphviz.

#include "build/reference_graph.h"
#include "build/resolved_project.h"
#include "console/command_line.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/packer/build.h>
#include <fardel/packer/project.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fardel {
namespace {

// The jobs that are shown: all, or those above and below one file.
std::vector<bool> jobs_around(const JobGraph& graph, std::string_view name) {
    std::vector<bool> shown(graph.jobs().size());
    std::vector<bool> above(graph.files().size());
    std::vector<bool> below(graph.files().size());
    for (std::size_t i = 0; i < graph.files().size(); ++i)
        above[i] = below[i] = graph.files()[i].name.view() == name;
    // Jobs stand behind those that they wait for: once along the order finds all below, once against it all above.
    const auto& order = graph.order();
    const auto reads_any = [&](const GraphJob& job, const std::vector<bool>& files) {
        const auto in = [&](std::uint32_t file) { return files[file]; };
        return std::ranges::any_of(job.sources, in) || std::ranges::any_of(job.others, in);
    };
    for (const std::uint32_t number : order) {
        const GraphJob& job = graph.jobs()[number];
        if (!reads_any(job, below))
            continue;
        shown[number] = true;
        for (const std::uint32_t file : job.outputs)
            below[file] = true;
    }
    for (auto number = order.rbegin(); number != order.rend(); ++number) {
        const GraphJob& job = graph.jobs()[*number];
        if (std::ranges::none_of(job.outputs, [&](std::uint32_t file) { return above[file]; }))
            continue;
        shown[*number] = true;
        for (const auto* files : {&job.sources, &job.others})
            for (const std::uint32_t file : *files)
                above[file] = true;
    }
    return shown;
}

std::string names_of(const JobGraph& graph, const std::vector<std::uint32_t>& files) {
    std::string text;
    for (const std::uint32_t file : files)
        text += (text.empty() ? "" : ", ") + graph.files()[file].name.text();
    return text;
}

std::string format_text(const BuildGraph& built, const std::vector<bool>& shown, const std::string& project) {
    const JobGraph& graph = built.graph;
    const auto made =
        std::ranges::count_if(graph.files(), [](const GraphFile& file) { return file.made_by.has_value(); });
    std::string text =
        fmt::format("{}: {}, {}, {} made\n", printable(project),
                    format_count(graph.files().size() - static_cast<std::size_t>(made), "source", "sources"),
                    format_count(graph.jobs().size(), "job", "jobs"),
                    format_count(static_cast<std::uint64_t>(made), "file", "files"));
    for (const std::uint32_t number : graph.order()) {
        if (!shown[number])
            continue;
        const GraphJob& job = graph.jobs()[number];
        text += fmt::format("{} ← {} (line {}) ← {}\n",
                            job.tells_outputs ? "whatever it makes" : names_of(graph, job.outputs), job.processor->name,
                            job.line, names_of(graph, job.sources));
        if (!job.others.empty())
            text += fmt::format("    may read {}\n", names_of(graph, job.others));
        for (const std::string& path : built.found[number])
            text += fmt::format("    looked for {}\n", printable(path));
    }
    return text;
}

Json json_of(const BuildGraph& built, const std::vector<bool>& shown) {
    const JobGraph& graph = built.graph;
    const auto names = [&](const std::vector<std::uint32_t>& files) {
        Json list = Json::array();
        for (const std::uint32_t file : files)
            list.push_back(graph.files()[file].name.text());
        return list;
    };
    Json json{{"files", Json::array()}, {"jobs", Json::array()}};
    for (const GraphFile& file : graph.files())
        json["files"].push_back(
            {{"name", file.name.text()}, {"made", file.made_by.has_value()}, {"in_bundle", !file.consumed}});
    for (const std::uint32_t number : graph.order()) {
        const GraphJob& job = graph.jobs()[number];
        if (shown[number])
            json["jobs"].push_back({{"processor", job.processor->name},
                                    {"line", job.line},
                                    {"sources", names(job.sources)},
                                    {"others", names(job.others)},
                                    {"found", built.found[number]},
                                    {"outputs", names(job.outputs)},
                                    {"tells_outputs", job.tells_outputs}});
    }
    return json;
}

// For Graphviz; names are well formed, so they hold no quote, backslash or control character.
std::string format_dot(const BuildGraph& built, const std::vector<bool>& shown) {
    const JobGraph& graph = built.graph;
    std::vector<bool> drawn(graph.files().size());
    std::string edges;
    const auto edge_from = [&](std::uint32_t file, std::uint32_t job, std::string_view style) {
        drawn[file] = true;
        edges += fmt::format("  f{} -> j{}{};\n", file, job, style);
    };
    for (const std::uint32_t number : graph.order()) {
        if (!shown[number])
            continue;
        const GraphJob& job = graph.jobs()[number];
        edges += fmt::format("  j{} [shape=ellipse, label=\"{}\"];\n", number, job.processor->name);
        for (const std::uint32_t file : job.sources)
            edge_from(file, number, "");
        for (const std::uint32_t file : job.others)
            edge_from(file, number, " [style=dashed]");
        for (const std::uint32_t file : job.outputs) {
            drawn[file] = true;
            edges += fmt::format("  j{} -> f{};\n", number, file);
        }
    }
    std::string text = "digraph fardel {\n  rankdir=LR;\n  node [shape=box];\n";
    for (std::size_t file = 0; file < drawn.size(); ++file)
        if (drawn[file])
            text += fmt::format("  f{} [label=\"{}\"{}];\n", file, graph.files()[file].name.view(),
                                graph.files()[file].consumed ? ", style=dotted" : "");
    return text + edges + "}\n";
}

Result<Exit> tell_references(const std::string& path, const std::string& name, bool json, bool dot, Console& console) {
    FARDEL_TRY_ASSIGN(const ResolvedProject resolved, resolve_project(path));
    std::vector<ReferenceEdge> edges = reference_edges(resolved.packed);
    if (!name.empty() && std::ranges::none_of(resolved.packed.plan.names,
                                              [&](const PlannedName& one) { return one.name.view() == name; }))
        return Error(ErrorCode::missing, path + ": the bundle has no name '" + printable(name) +
                                             "'; 'fardel graph --references' tells all that name something");
    if (!name.empty())
        edges = edges_around(edges, name);
    FARDEL_TRY(console.write(json  ? format_json(reference_json(edges)) + "\n"
                             : dot ? format_reference_dot(edges)
                                   : format_reference_text(edges, path)));
    return Exit::fine;
}

}  // namespace

Result<Exit> run_graph(Words words, Console& console) {
    CommandLine line("graph", "[DIR] [options]",
                     "Tells which files of DIR/fardel.toml are made of which, by which processor; nothing is built.",
                     "  fardel graph\n"
                     "  fardel graph mygame --of textures/wall.tga\n"
                     "  fardel graph mygame --dot | dot -Tsvg > graph.svg\n"
                     "  fardel graph mygame --references --of maps/dm01.bsp\n");
    std::string folder;
    std::string name;
    bool references = false;
    bool json = false;
    bool dot = false;
    line.text("DIR", "DIR", folder, "The folder of the fardel.toml; the one that we are in when left out");
    line.text(
        "--of", "NAME", name,
        "Only what is made of this file, and what it is made of; with --references, what it names and who names it");
    line.flag("--references", references,
              "Instead, which assets of the bundle name which; jobs that have to be run are run");
    line.flag("--json", json, "As JSON");
    line.flag("--dot", dot, "For Graphviz's dot");
    if (const auto over = line.parse(words, console))
        return *over;
    if (json && dot)
        return line.mistake("--json and --dot are two forms; choose one", console);

    const std::string path = (std::filesystem::path(folder) / kProjectFileName).string();
    if (references)
        return tell_references(path, name, json, dot, console);
    FARDEL_TRY_ASSIGN(Project project, read_project(path));
    FARDEL_TRY_ASSIGN(ProjectBuild build,
                      ProjectBuild::open(std::move(project), folder,
                                         {.target = {}, .options = {}, .watched = {}, .progress = {}, .stop = {}}));
    FARDEL_TRY_ASSIGN(const BuildGraph built, build.graph());
    if (!name.empty() &&
        std::ranges::none_of(built.graph.files(), [&](const GraphFile& file) { return file.name.view() == name; }))
        return Error(ErrorCode::missing, path + ": no file of the project is called '" + printable(name) +
                                             "'; 'fardel graph --json' lists all");
    const std::vector<bool> shown =
        name.empty() ? std::vector<bool>(built.graph.jobs().size(), true) : jobs_around(built.graph, name);
    FARDEL_TRY(console.write(json  ? format_json(json_of(built, shown)) + "\n"
                             : dot ? format_dot(built, shown)
                                   : format_text(built, shown, path)));
    return Exit::fine;
}

}  // namespace fardel
