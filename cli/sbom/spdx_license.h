// Licences as SPDX documents write them.
#pragma once

#include <string_view>

namespace fardel {

// Whether the text is an SPDX licence expression such as "MIT OR CC-BY-4.0", of licences that content of games and
// their code often has. Another text, also one with a rare licence of SPDX's list, is quoted in documents instead. The
// text is not trusted.
bool is_spdx_expression(std::string_view text);

}  // namespace fardel
