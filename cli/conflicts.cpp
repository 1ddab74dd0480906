// fardel conflicts: mounts bundles as a game would, and lists the names that one of them hides from another.

#include "bundles/left_out.h"
#include "bundles/mounts.h"
#include "console/figures.h"
#include "console/json.h"
#include "findings/finding_list.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

#include <algorithm>

namespace fardel {
namespace {

struct ConflictsCommand {
    std::vector<std::string> files;
    MountingOptions mounting;
    FindingOptions findings;
    bool all = false;
    bool json = false;
};

std::string format_side(const ConflictSide& side, const MountLabels& labels, std::string_view role) {
    return fmt::format("  {}: {} {}\n", printable(labels.at(side.mount)), role,
                       side.asset ? "asset " + short_id(*side.asset) : "tombstone");
}

std::string format_conflict(const PathConflict& conflict, const MountLabels& labels) {
    return fmt::format("{}{}\n", printable(conflict.path, 2000), conflict.harmless() ? " (same content)" : "") +
           format_side(conflict.winner, labels, "wins,") +
           format_each(conflict.hidden, [&](const ConflictSide& side) { return format_side(side, labels, "hidden,"); });
}

Json json_of(const ConflictSide& side, const MountLabels& labels) {
    return Json{{"file", labels.at(side.mount)}, {"asset", json_id(side.asset)}};
}

Json json_of(const PathConflict& conflict, const MountLabels& labels) {
    const auto json = [&](const ConflictSide& side) { return json_of(side, labels); };
    return Json{{"path", conflict.path},
                {"harmless", conflict.harmless()},
                {"winner", json(conflict.winner)},
                {"hidden", json_list(conflict.hidden, json)}};
}

// Located in the bundle that wins, which is the one to change.
FindingList findings_of(const std::vector<PathConflict>& conflicts, const MountLabels& labels) {
    FindingList list{.verb = "fardel conflicts"};
    list.rules = {{.id = "hidden-name",
                   .severity = FindingSeverity::error,
                   .code = ErrorCode::conflict,
                   .help = "A bundle hides a name of another one that has other content."},
                  {.id = "hidden-copy",
                   .severity = FindingSeverity::note,
                   .code = ErrorCode::conflict,
                   .help = "A bundle hides a name of another one that has the same content."}};
    FindingSuite& suite = list.suites.emplace_back(FindingSuite{.name = "mounts", .passed = "no name is hidden"});
    for (const PathConflict& conflict : conflicts) {
        const FindingRule& rule = list.rules[conflict.harmless() ? 1 : 0];
        std::string hidden;
        for (const ConflictSide& side : conflict.hidden)
            hidden += (hidden.empty() ? "" : ", ") + printable(labels.at(side.mount));
        suite.findings.push_back({.severity = rule.severity,
                                  .code = rule.code,
                                  .rule = std::string(rule.id),
                                  .where = printable(conflict.path, 2000),
                                  .text = "hides that of " + hidden,
                                  .files = {labels.at(conflict.winner.mount)},
                                  .places = {{.name = printable(conflict.path, 2000), .kind = "resource"}}});
    }
    return list;
}

Result<Exit> conflicts(const ConflictsCommand& command, Console& console) {
    Vfs vfs(vfs_options());
    FARDEL_TRY(mount_all(vfs, command.files, command.mounting));
    say_missing_dependencies(vfs, console);
    say_left_out(vfs, console);
    const MountLabels labels = labels_of(vfs);
    FARDEL_TRY_ASSIGN(std::vector<PathConflict> shown, vfs.conflicts());
    const auto is_harmless = [](const PathConflict& conflict) { return conflict.harmless(); };
    const auto harmless = static_cast<std::size_t>(std::ranges::count_if(shown, is_harmless));
    const std::size_t harmful = shown.size() - harmless;
    if (command.findings.wanted())
        FARDEL_TRY(write_findings(command.findings, findings_of(shown, labels)));
    if (!command.all)
        std::erase_if(shown, is_harmless);
    const auto json = [&](const PathConflict& conflict) { return json_of(conflict, labels); };
    const auto text = [&](const PathConflict& conflict) { return format_conflict(conflict, labels); };
    return print_result(
        console, command.json,
        [&] {
            Json all{{"conflicts", json_list(shown, json)}, {"harmful", harmful}, {"harmless", harmless}};
            set_left_out(all, vfs);
            return all;
        },
        [&] {
            return format_each(shown, text) + fmt::format("{} different content; {} the same content\n",
                                                          format_count(harmful, "name hides", "names hide"),
                                                          format_count(harmless, "more hides", "more hide"));
        },
        harmful == 0 ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_conflicts(Words words, Console& console) {
    CommandLine line(
        "conflicts", "FILE... [--trust POLICY] [--require-dependencies] [--all] [--sarif OUT] [--junit OUT] [--json]",
        "Lists the names that one bundle hides from another when they are mounted in this order; later ones win.",
        "  fardel conflicts mygame.fardel mod.fardel\n"
        "  fardel conflicts mygame.fardel patch.fardel --all --json\n");
    ConflictsCommand command;
    line.texts("FILE", "FILE", command.files, "The bundles, in the order in which they are mounted").required();
    add_mounting_options(line, command.mounting);
    line.flag("-a,--all", command.all, "Also list names that hide the same content");
    add_finding_options(line, command.findings);
    line.json(command.json);
    return line.run(words, console, [&] { return conflicts(command, console); });
}

}  // namespace fardel
