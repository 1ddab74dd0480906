// Names for tests: the vectors of docs/names.md, the names of a real game, and single characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

// Returns the lines of the block in docs/names.md that is fenced as "```<fence>". Fails the test if there is none.
std::vector<std::string> read_name_vectors(std::string_view fence);

// Returns the names of all files in OpenArena's pk3 archives, sorted, each once. Returns none and prints a message if
// the game is not installed.
std::vector<std::string> read_openarena_names();

// Encodes the code point as UTF-8, without using the library's code.
std::string utf8(char32_t code_point);

}  // namespace fardel::tests
