// What one key of a map's entity names; the same in sources of maps and in compiled ones.
//
// Facts: docs/reference-scanners.md, "Entities".
#pragma once

#include "found_references.h"

#include <cstdint>
#include <string_view>

namespace fardel {

// Errors: limit.
Status add_entity_key(FoundReferences& found, std::string_view key, std::string_view value, std::uint32_t line);

}  // namespace fardel
