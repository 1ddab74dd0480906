// What names are tested with: the vectors of docs/names.md, the names of a real game, single characters.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

// The lines of the block of docs/names.md that is fenced as "```<fence>". Fails the running test when there is none.
std::vector<std::string> read_name_vectors(std::string_view fence);

// The names of all files in OpenArena's pk3 archives, sorted, each once; empty, with a message, where the game is not
// installed.
std::vector<std::string> read_openarena_names();

// The code point as UTF-8; written apart from the library's own.
std::string utf8(char32_t code_point);

}  // namespace fardel::tests
