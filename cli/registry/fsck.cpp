// fardel registry fsck: says everything that is wrong with a registry, and writes its pages again.

#include "console/clock.h"
#include "console/figures.h"
#include "console/json.h"
#include "registry/registry_verbs.h"

#include <fardel/base/interrupt.h>
#include <fardel/format/name.h>
#include <fardel/hosting/registry_check.h>

#include <fmt/format.h>

namespace fardel {
namespace {

struct FsckCommand {
    std::string folder;
    bool quick = false;
    bool json = false;
};

Json json_of(const RegistryCheck& check) {
    return Json{
        {"bundles", check.bundles},
        {"released", check.released},
        {"recalled", check.recalled},
        {"set_aside", check.set_aside},
        {"problems", json_list(check.problems, [](const RegistryProblem& problem) {
             return Json{{"path", problem.path}, {"code", error_code_name(problem.code)}, {"text", problem.text}};
         })}};
}

std::string format_check(const RegistryCheck& check) {
    return format_each(check.problems,
                       [](const RegistryProblem& problem) {
                           return fmt::format("{}: {} [{}]\n", problem.path, problem.text,
                                              error_code_name(problem.code));
                       }) +
           fmt::format("{}, {} in the newest release, {} recalled, {} set aside; {}; the pages are written again\n",
                       format_count(check.bundles, "bundle", "bundles"), format_count(check.released),
                       format_count(check.recalled), format_count(check.set_aside),
                       check.problems.empty() ? "nothing is wrong"
                                              : format_count(check.problems.size(), "problem", "problems"));
}

Result<Exit> fsck(const FsckCommand& command, Console& console) {
    const Interrupt interrupt;
    FARDEL_TRY_ASSIGN(const RegistryCheck check, check_registry(command.folder, {.now = system_now(),
                                                                                 .reads_bundles = !command.quick,
                                                                                 .stop = interrupt.token()}));
    return print_result(
        console, command.json, [&] { return json_of(check); }, [&] { return format_check(check); },
        check.problems.empty() ? Exit::fine : Exit::refusal);
}

}  // namespace

Result<Exit> run_registry_fsck(Words words, Console& console) {
    CommandLine line(
        "registry fsck", "FOLDER [--quick] [--json]",
        "Says everything that is wrong in the folder of a registry: bundles that are missing, "
        "damaged or not countersigned, names with two owners, files that do not belong there. "
        "Writes pages, lists and compressed tables again; bundles and the channel stay as they are. Needs no key.",
        "  fardel registry fsck /srv/www/hub\n");
    FsckCommand command;
    line.text("FOLDER", "FOLDER", command.folder, "The folder of the registry").required();
    line.flag("--quick", command.quick, "Do not read every byte of the bundles");
    line.json(command.json);
    return line.run(words, console, [&] { return fsck(command, console); });
}

}  // namespace fardel
