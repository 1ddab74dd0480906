// The form of text that names have, for what becomes a name.
#pragma once

#include <string>
#include <string_view>

namespace fardel {

// Whether `text` is UTF-8 (RFC 3629).
bool is_well_formed_utf8(std::string_view text) noexcept;

// The normalization form C of well-formed UTF-8; anything else comes back unchanged.
std::string compose_text(std::string_view text);

}  // namespace fardel
