// Foreign text: quotes names, paths and words in messages, makes them safe to show, and checks the form of text.
#pragma once

#include <fardel/format/name.h>

#include <string>
#include <string_view>

namespace fardel {

inline std::string in_quotes(std::string_view untrusted) { return "'" + printable(untrusted) + "'"; }
// For text that may be long and matters less.
inline std::string in_short_quotes(std::string_view untrusted) { return "'" + printable(untrusted, 80) + "'"; }

// Whether all of `text` is well-formed UTF-8 (RFC 3629).
bool is_utf8_text(std::string_view text);

// Whether `text` is a content type, "image/png": RFC 6838 §4.2, in lower case, since types that differ only in case are
// one type.
bool is_media_type(std::string_view text);

}  // namespace fardel
