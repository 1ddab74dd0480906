// The references in one key of a map's entity; the same for sources of maps and for compiled maps.
//
// Sources of the rules: docs/reference-scanners.md, "Entities".
#pragma once

#include "found_references.h"

#include <cstdint>
#include <string_view>

namespace fardel {

// Errors: limit.
Status add_entity_key(FoundReferences& found, std::string_view key, std::string_view value, std::uint32_t line);

}  // namespace fardel
