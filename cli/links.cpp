// fardel links: mounts bundles as a game would and tells everything that they miss.

#include "bundles/mounts.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/name.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct LinksCommand {
    std::vector<std::string> files;
    std::string policy;
    bool json = false;
};

std::string format_name(const MissingName& missing, const MountLabels& labels) {
    return fmt::format("{}: {} {}{}\n", printable(labels.at(missing.mount)),
                       missing.pattern ? "nothing published matches" : "nobody publishes",
                       printable(missing.name, 2000), missing.optional ? " (optional)" : "");
}

std::string format_bundle(const MissingBundle& missing, const MountLabels& labels) {
    std::string called =
        missing.name.empty()
            ? ""
            : " (" + printable(missing.name) + (missing.version.empty() ? "" : " " + printable(missing.version)) + ")";
    return fmt::format("{}: {} bundle {}{} is not mounted\n", printable(labels.at(missing.mount)),
                       missing.is_static ? "static dependency" : "dependency", missing.bundle.hex(), called);
}

Json json_of(const LinkReport& report, const MountLabels& labels) {
    Json names = Json::array(), bundles = Json::array();
    for (const MissingName& missing : report.names)
        names.push_back(Json{{"file", labels.at(missing.mount)},
                             {"name", missing.name},
                             {"pattern", missing.pattern},
                             {"optional", missing.optional}});
    for (const MissingBundle& missing : report.bundles)
        bundles.push_back(Json{{"file", labels.at(missing.mount)},
                               {"bundle", missing.bundle.hex()},
                               {"name", missing.name},
                               {"version", missing.version},
                               {"static", missing.is_static}});
    return Json{
        {"complete", report.complete()}, {"missing_names", std::move(names)}, {"missing_bundles", std::move(bundles)}};
}

std::string format_report(const LinkReport& report, const MountLabels& labels) {
    std::string text;
    for (const MissingBundle& missing : report.bundles)
        text += format_bundle(missing, labels);
    for (const MissingName& missing : report.names)
        text += format_name(missing, labels);
    return text + fmt::format("{}, {}\n", format_count(report.names.size(), "name missing", "names missing"),
                              format_count(report.bundles.size(), "bundle missing", "bundles missing"));
}

Result<Exit> links(const LinksCommand& command, Console& console) {
    Vfs vfs;
    FARDEL_TRY(mount_all(vfs, command.files, command.policy));
    const MountLabels labels = labels_of(vfs);
    FARDEL_TRY_ASSIGN(const LinkReport report, vfs.check_links());
    FARDEL_TRY(
        console.write(command.json ? format_json(json_of(report, labels)) + "\n" : format_report(report, labels)));
    return report.complete() ? Exit::fine : Exit::refusal;
}

}  // namespace

Result<Exit> run_links(Words words, Console& console) {
    CommandLine line("links", "FILE... [--trust POLICY] [--json]",
                     "Tells every name that a bundle consumes and nobody publishes, and every bundle that one depends "
                     "on, when these are mounted together.",
                     "  fardel links mygame.fardel mod.fardel\n"
                     "  fardel links mygame.fardel --json\n");
    LinksCommand command;
    line.texts("FILE", "FILE", command.files, "The bundles, in the order in which they are mounted")->required();
    line.text("--trust", "POLICY", command.policy, "Mount only what this policy trusts; anything when left out");
    line.flag("--json", command.json, "Report as JSON");
    if (const auto over = line.parse(words, console))
        return *over;
    return links(command, console);
}

}  // namespace fardel
