// Depfile: what a program says it read, as compilers write it: rules of a Makefile. Pure; any thread; hostile text.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kDepfileBytesMax = 16u << 20;
inline constexpr std::size_t kFoundInputsMax = 65'536;

// The prerequisites of all rules, in their order, each once. "target … : file …" on one line or, behind a backslash, on
// several; "\ " is a space, "\#" a '#', "$$" a '$'; '#' after a space or at the start of a line begins a comment. A
// rule without prerequisites is one as well. Errors: malformed (with the line), limit.
Result<std::vector<std::string>> parse_depfile(std::string_view text);

}  // namespace fardel
