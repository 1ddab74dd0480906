// Texts as parts of JSON and of HTML. Both are safe wherever a text may stand in them; nothing is left out.
#pragma once

#include <string>
#include <string_view>

namespace fardel {

// In quotes and ASCII alone. Bytes that are no UTF-8, and characters that could mislead a reader, are written as
// printable() shows them.
std::string json_text(std::string_view text);

// For elements and quoted attributes.
std::string html_text(std::string_view text);

}  // namespace fardel
