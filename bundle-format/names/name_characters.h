// The characters that a name may contain (docs/names.md, N2 to N5), for names and for globs over them.
#pragma once

#include <fardel/base/result.h>

#include <string_view>

namespace fardel {

inline constexpr std::string_view kForbiddenCharacters = "\\:*?\"<>|";  // besides all invisible characters

// Checks that `text` is UTF-8 in NFC and has only characters that a name may contain, or also '*' and '?' if
// `wildcards` is set. Error: malformed, with the position of the first character that is not allowed. `subject` begins
// the message: "name", "glob".
Status verify_characters(std::string_view text, std::string_view subject, bool wildcards);

}  // namespace fardel
