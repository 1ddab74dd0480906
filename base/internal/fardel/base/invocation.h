// What started this program passed to it: words and variables, in UTF-8 on every system.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

// The words after the program's name. `count` and `words` are those of main().
std::vector<std::string> words_of_program(int count, char** words);

// A variable of the environment; empty if it is not set.
std::string variable(const char* name);

// The names that begin with `prefix`, which is ASCII in upper case, and their values; sorted by name.
std::vector<std::pair<std::string, std::string>> variables_with_prefix(std::string_view prefix);

}  // namespace fardel
