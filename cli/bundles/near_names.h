// Names that a person probably meant: another case, another folder, a letter more or less.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>

#include <span>
#include <string>
#include <string_view>

namespace fardel {

// "; did you mean 'textures/wall.png'?" with the nearest of the names of files; otherwise empty.
std::string suggest_file(std::string_view name, std::span<const std::string_view> names);
// The same with the nearest name of the bundle; else "; 'fardel ls' lists its names".
// Reads all names. Errors: those of reading.
Result<std::string> suggest_name(const Bundle& bundle, std::string_view name);

// The same for the name of a bundle, out of those that there are: "; did you mean 'mods/castle'?"; and for a version
// that was written as for other programs, mods/castle@1.0: "; did you mean 'mods/castle = 1.0'?". Otherwise empty.
std::string suggest_bundle(std::string_view text, std::span<const std::string> names);

}  // namespace fardel
