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

// The axes of "texture=astc,bc7" and the like. Error: malformed.
Result<std::vector<PureAxis>> parse_axes(const std::vector<std::string>& words);

// The problems of a report, one per line.
std::string format_problems(const PureReport& report);
Json json_of(const PureReport& report);

}  // namespace fardel
