// Which characters may stand in a name (docs/names.md, N2 to N5), for the names and for the globs over them.
#pragma once

#include <fardel/format/result.h>

#include <string_view>

namespace fardel {

inline constexpr std::string_view kForbiddenCharacters = "\\:*?\"<>|";  // besides all that is invisible

// Whether `text` is UTF-8 in NFC made of characters that a name may have; of '*' and '?' too where `wildcards`.
// Error: malformed, with the position of the first that is not. `subject` begins its message: "name", "glob".
Status verify_characters(std::string_view text, std::string_view subject, bool wildcards);

}  // namespace fardel
