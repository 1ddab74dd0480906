// Names that a person probably meant: another case, another folder, a letter more or less.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>

#include <string>
#include <string_view>

namespace fardel {

// "; did you mean 'textures/wall.png'?" with the nearest name of the bundle; else "; 'fardel ls' lists its names".
// Reads all names. Errors: those of reading.
Result<std::string> suggest_name(const Bundle& bundle, std::string_view name);

}  // namespace fardel
