// The names that a written reference may mean: the one rule of scanners, packer, Vfs and command line. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Whether `name` ends in one of `extensions`, in any case.
bool has_extension_of(std::string_view name, std::span<const std::string> extensions) noexcept;

// The names that `written` may mean, each once; the first of them that exists is meant. In this order:
//
//   1. the name as it is written;
//   2. with each of `extensions`: in the stead of its own if that is one of them, otherwise behind it;
//   3. without its own extension, whichever that is: several formats of one picture are variants of a name without one.
std::vector<std::string> meant_names(std::string_view written, std::span<const std::string> extensions);
// The same for a spelling of which several readings are possible, the likeliest first: each step is taken with all of
// them before the next one is.
std::vector<std::string> meant_names(std::span<const std::string> readings, std::span<const std::string> extensions);

}  // namespace fardel
