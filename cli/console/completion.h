// What a shell asks while a command line is typed: `fardel --complete WORD... CURRENT`. The words that CURRENT may
// become are printed, one per line, each with a tab and its description. The last line may be ":files" or ":folders":
// the shell adds those on the disk. docs/man/fardel-completion.1 describes it.
//
// The table of verbs, the sub-verbs and each CommandLine answer it with what they themselves accept, so nothing has to
// be kept equal. A verb gets the request as its first word, and has done nothing before it parses its words.
#pragma once

#include "command_line.h"

#include <string>
#include <string_view>

namespace fardel {

inline constexpr std::string_view kCompletionRequest = "--complete";

inline bool is_completion(Words words) { return words.size() >= 2 && words[0] == kCompletionRequest; }

// The line of one candidate; empty unless it begins with `current`.
std::string candidate(std::string_view word, std::string_view description, std::string_view current);

// The lines for a value of that name: "FILE", "DIR", "ID".
std::string complete_value(std::string_view value);

}  // namespace fardel
