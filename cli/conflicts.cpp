// fardel conflicts: mounts bundles as a game would, and lists the names that one of them hides from another.

#include "bundles/mounts.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

struct ConflictsCommand {
    std::vector<std::string> files;
    std::string policy;
    bool all = false;
    bool json = false;
};

std::string format_side(const ConflictSide& side, const MountLabels& labels, std::string_view role) {
    return fmt::format("  {}: {} {}\n", printable(labels.at(side.mount)), role,
                       side.asset ? "asset " + short_id(*side.asset) : "tombstone");
}

std::string format_conflict(const PathConflict& conflict, const MountLabels& labels) {
    std::string text =
        fmt::format("{}{}\n", printable(conflict.path, 2000), conflict.harmless() ? " (same content)" : "");
    text += format_side(conflict.winner, labels, "wins,");
    for (const ConflictSide& side : conflict.hidden)
        text += format_side(side, labels, "hidden,");
    return text;
}

Json json_of(const ConflictSide& side, const MountLabels& labels) {
    return Json{{"file", labels.at(side.mount)}, {"asset", side.asset ? Json(side.asset->hex()) : Json()}};
}

Json json_of(const PathConflict& conflict, const MountLabels& labels) {
    Json hidden = Json::array();
    for (const ConflictSide& side : conflict.hidden)
        hidden.push_back(json_of(side, labels));
    return Json{{"path", conflict.path},
                {"harmless", conflict.harmless()},
                {"winner", json_of(conflict.winner, labels)},
                {"hidden", std::move(hidden)}};
}

Result<Exit> conflicts(const ConflictsCommand& command, Console& console) {
    Vfs vfs;
    FARDEL_TRY(mount_all(vfs, command.files, command.policy));
    const MountLabels labels = labels_of(vfs);
    FARDEL_TRY_ASSIGN(const std::vector<PathConflict> found, vfs.conflicts());
    const auto harmful = static_cast<std::size_t>(
        std::ranges::count_if(found, [](const PathConflict& conflict) { return !conflict.harmless(); }));

    Json shown = Json::array();
    std::string text;
    for (const PathConflict& conflict : found) {
        if (conflict.harmless() && !command.all)
            continue;
        if (command.json)
            shown.push_back(json_of(conflict, labels));
        else
            text += format_conflict(conflict, labels);
    }
    const std::size_t harmless = found.size() - harmful;
    if (command.json)
        text = format_json(Json{{"conflicts", std::move(shown)}, {"harmful", harmful}, {"harmless", harmless}}) + "\n";
    else
        text += fmt::format("{} different content; {} the same content\n",
                            format_count(harmful, "name hides", "names hide"),
                            format_count(harmless, "more hides", "more hide"));
    FARDEL_TRY(console.write(text));
    return harmful == 0 ? Exit::fine : Exit::refusal;
}

}  // namespace

Result<Exit> run_conflicts(Words words, Console& console) {
    CommandLine line(
        "conflicts", "FILE... [--trust POLICY] [--all] [--json]",
        "Lists the names that one bundle hides from another when they are mounted in this order; later ones win.",
        "  fardel conflicts mygame.fardel mod.fardel\n"
        "  fardel conflicts mygame.fardel patch.fardel --all --json\n");
    ConflictsCommand command;
    line.texts("FILE", "FILE", command.files, "The bundles, in the order in which they are mounted")->required();
    add_trust_option(line, command.policy);
    line.flag("-a,--all", command.all, "Also list names that hide the same content");
    line.json(command.json);
    if (const auto over = line.parse(words, console))
        return *over;
    return conflicts(command, console);
}

}  // namespace fardel
