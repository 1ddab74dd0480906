// What started this program passed to it: words and variables, in UTF-8 on every system.
#pragma once

#include <string>
#include <vector>

namespace fardel {

// The words after the program's name. `count` and `words` are those of main().
std::vector<std::string> words_of_program(int count, char** words);

// A variable of the environment; empty if it is not set.
std::string variable(const char* name);

}  // namespace fardel
