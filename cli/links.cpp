// fardel links: mounts bundles as a game would, and lists the names and bundles that they need and that are absent.

#include "bundles/mounts.h"
#include "bundles/unlinked.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/vfs/inspect.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct LinksCommand {
    std::vector<std::string> files;
    MountingOptions mounting;
    bool json = false;
};

std::string format_name(const UnresolvedName& missing, const MountLabels& labels) {
    return fmt::format("{}: {} {}{}\n", printable(labels.at(missing.mount)),
                       missing.pattern ? "no published name matches" : "no bundle publishes",
                       printable(missing.name, 2000), missing.optional ? " (optional)" : "");
}

std::string format_bundle(const UnresolvedBundle& missing, const MountLabels& labels) {
    const std::string title =
        missing.name.empty() ? "" : " (" + format_title(printable(missing.name), printable(missing.version)) + ")";
    return fmt::format("{}: {} bundle {}{} is not mounted\n", printable(labels.at(missing.mount)),
                       missing.is_static ? "static dependency" : "dependency", missing.bundle.hex(), title);
}

bool is_complete(const UnresolvedNeeds& report, const std::vector<UnlinkedBundle>& unlinked) {
    return report.complete() && unlinked.empty();
}

Json json_of(const UnresolvedNeeds& report, const std::vector<UnlinkedBundle>& unlinked, const MountLabels& labels) {
    Json names = json_list(report.names, [&](const UnresolvedName& missing) {
        return Json{{"file", labels.at(missing.mount)},
                    {"name", missing.name},
                    {"pattern", missing.pattern},
                    {"optional", missing.optional}};
    });
    Json bundles = json_list(report.bundles, [&](const UnresolvedBundle& missing) {
        return Json{{"file", labels.at(missing.mount)},
                    {"bundle", missing.bundle.hex()},
                    {"name", missing.name},
                    {"version", missing.version},
                    {"static", missing.is_static}};
    });
    Json requirements = json_list(report.requirements, [&](const MissingDependency& missing) {
        return Json{
            {"file", labels.at(missing.mount)}, {"requirement", missing.requirement}, {"reason", missing.reason}};
    });
    return Json{{"complete", is_complete(report, unlinked)},
                {"missing_names", std::move(names)},
                {"missing_bundles", std::move(bundles)},
                {"unmet_requirements", std::move(requirements)},
                {"unlinked", json_list(unlinked, [](const UnlinkedBundle& one) {
                     return Json{{"file", one.file}, {"files", one.files}, {"first", one.first}};
                 })}};
}

std::string format_report(const UnresolvedNeeds& report, const std::vector<UnlinkedBundle>& unlinked,
                          const MountLabels& labels) {
    return format_each(unlinked, [](const UnlinkedBundle& one) { return describe(one) + "\n"; }) +
           format_each(report.bundles, [&](const auto& missing) { return format_bundle(missing, labels); }) +
           format_each(report.requirements,
                       [&](const MissingDependency& missing) {
                           return fmt::format("{}: requirement {}\n", printable(labels.at(missing.mount)),
                                              printable(missing.reason, 2000));
                       }) +
           format_each(report.names, [&](const auto& missing) { return format_name(missing, labels); }) +
           fmt::format(
               "{}, {}\n", format_count(report.names.size(), "name missing", "names missing"),
               format_count(report.bundles.size() + report.requirements.size(), "bundle missing", "bundles missing"));
}

Result<Exit> links(const LinksCommand& command, Console& console) {
    Vfs vfs(vfs_options());
    FARDEL_TRY(mount_all(vfs, command.files, command.mounting));
    const MountLabels labels = labels_of(vfs);
    FARDEL_TRY_ASSIGN(const UnresolvedNeeds report, vfs.check_links());
    FARDEL_TRY_ASSIGN(const std::vector<UnlinkedBundle> unlinked, find_unlinked(vfs, command.mounting));
    return print_result(
        console, command.json, [&] { return json_of(report, unlinked, labels); },
        [&] { return format_report(report, unlinked, labels); },
        is_complete(report, unlinked) ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_links(Words words, Console& console) {
    CommandLine line("links", "FILE... [--trust POLICY] [--require-dependencies] [--json]",
                     "Mounts bundles together, and lists every name that one of them needs and none publishes, "
                     "and every bundle that one of them depends on and that is not among them.",
                     "  fardel links mygame.fardel mod.fardel\n"
                     "  fardel links mygame.fardel --json\n");
    LinksCommand command;
    line.texts("FILE", "FILE", command.files, "The bundles, in the order in which they are mounted").required();
    add_mounting_options(line, command.mounting);
    line.json(command.json);
    return line.run(words, console, [&] { return links(command, console); });
}

}  // namespace fardel
