// Whether text is UTF-8 without NUL, as a bundle's strings are. Pure; any thread.
#pragma once

#include <string_view>

namespace fardel {

bool is_utf8_text(std::string_view text);

}  // namespace fardel
