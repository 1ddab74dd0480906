// fardel log: compares the logs of two builds, as `fardel build --log` writes them.

#include "build/build_explanation.h"
#include "console/command_line.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/packer/build_log.h>

#include <string>

namespace fardel {
namespace {

Result<Exit> run_log_diff(Words words, Console& console) {
    CommandLine line("log diff", "FIRST SECOND [--of FILE] [--json]",
                     "Lists the jobs whose keys differ in two logs of 'fardel build --log', and the inputs, parameters "
                     "and programs that make the difference: why a job ran again, or why the result of another machine "
                     "was not found.",
                     "  fardel log diff yesterday.log today.log\n"
                     "  fardel log diff ci.log mine.log --of maps/dm01.map\n");
    std::string first;
    std::string second;
    std::string of;
    bool json = false;
    line.text("FIRST", "FIRST", first, "The log of one build").required();
    line.text("SECOND", "SECOND", second, "The log of the other build").required();
    line.text("--of", "FILE", of,
              "Only jobs that this file is an input or output of; or a job as it is listed, or the first digits of a "
              "key");
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const BuildLog one, read_build_log(first));
    FARDEL_TRY_ASSIGN(const BuildLog other, read_build_log(second));
    const BuildLogComparison comparison = compare_build_logs(one, other, of);
    if (!of.empty() && comparison.differences.empty() && comparison.equal == 0)
        return Error(ErrorCode::missing, "neither log has a job of '" + of + "'");
    return print_result(
        console, json, [&] { return json_of(comparison); },
        [&] { return format_comparison(comparison, first, second); },
        comparison.differences.empty() ? Exit::fine : Exit::refusal);
}

constexpr std::string_view kLogHelp =
    "Compares the logs of builds.\n\n"
    "Usage: fardel log diff FIRST SECOND [--of FILE] [--json]\n\n"
    "Examples:\n"
    "  fardel log diff ci.log mine.log\n\n"
    "'fardel log diff --help' explains it. More: man fardel-log\n";

constexpr SubVerb kLogVerbs[] = {{"diff", run_log_diff}};

}  // namespace

Result<Exit> run_log(Words words, Console& console) { return run_sub_verb("log", kLogVerbs, kLogHelp, words, console); }

}  // namespace fardel
