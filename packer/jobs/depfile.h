// Depfile: the files that a program read, in the form that compilers write: rules of a Makefile. Pure; any thread;
// hostile text.
#pragma once

#include <fardel/base/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

inline constexpr std::size_t kDepfileBytesMax = 16u << 20;
inline constexpr std::size_t kFoundInputsMax = 65'536;

// Returns the prerequisites of all rules, in order, each once. A rule is "target … : file …" on one line or, with
// backslashes, on several; "\ " is a space, "\#" a '#', "$$" a '$'; '#' after a space or at the start of a line begins
// a comment. A rule may have no prerequisites. Errors: malformed (with the line), limit.
Result<std::vector<std::string>> parse_depfile(std::string_view text);

// Returns one rule, "target … : file …", a file per line. parse_depfile returns the files if each is there once, and
// none has a control character or ends in a backslash, which such a text cannot have.
std::string format_depfile(std::span<const std::string> targets, std::span<const std::string> files);

}  // namespace fardel
