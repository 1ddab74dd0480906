// The sub-verbs of `fardel pure`, one file each, and the functions that several of them use.
#pragma once

#include "console/command_line.h"
#include "console/figures.h"
#include "console/json.h"
#include "pure_files.h"

namespace fardel {

Result<Exit> run_pure_policy(Words words, Console& console);
Result<Exit> run_pure_offer(Words words, Console& console);
Result<Exit> run_pure_answer(Words words, Console& console);
Result<Exit> run_pure_check(Words words, Console& console);
Result<Exit> run_pure_test(Words words, Console& console);

// What a client has.
struct PureClientOptions {
    std::vector<std::string> mounts;
    std::vector<std::string> loose;
    std::vector<std::string> variants;  // as parse_axes() takes them
    std::string trust;
};
// Adds --mount, --loose, --variant and --trust.
void add_client_options(CommandLine& line, PureClientOptions& options);

// All problems that can be found without an offer. `every_byte`: every byte is read. Errors: those of the folders.
Result<std::vector<PureProblem>> find_problems(const PureClientOptions& options, const PurePolicy& policy,
                                               const PureClient& client, bool every_byte);

// The axes of "texture=astc,bc7" and the like. Error: malformed.
Result<std::vector<PureAxis>> parse_axes(const std::vector<std::string>& words);

// The problems of a report, one per line.
std::string format_problems(const PureReport& report);
Json json_of(const PureReport& report);

}  // namespace fardel
