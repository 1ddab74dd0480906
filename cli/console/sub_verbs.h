// Sub-verbs: verbs of a verb, such as `fardel cache trim`.
#pragma once

#include "command_line.h"

#include <span>
#include <string_view>

namespace fardel {

struct SubVerb {
    std::string_view name;
    Result<Exit> (*run)(Words words, Console& console);
};

// Runs the sub-verb that the first word names, with the words that follow. Prints `help` for --help; a word that names
// no sub-verb, or none at all, is a usage error.
Result<Exit> run_sub_verb(std::string_view verb, std::span<const SubVerb> sub_verbs, std::string_view help, Words words,
                          Console& console);

}  // namespace fardel
