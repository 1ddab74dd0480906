// Names, paths and words in messages, made safe for people.
#pragma once

#include <fardel/format/name.h>

#include <string>
#include <string_view>

namespace fardel {

inline std::string in_quotes(std::string_view text) { return "'" + printable(text) + "'"; }
// Words of others, which may be long.
inline std::string in_short_quotes(std::string_view text) { return "'" + printable(text, 80) + "'"; }

}  // namespace fardel
