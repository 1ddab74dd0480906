// MapEntity: the keys of one entity of a map, and the references in them; the same for sources of maps and for compiled
// maps.
//
// Sources of the rules: docs/reference-scanners.md, "Entities".
#pragma once

#include "found_references.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fardel {

class MapEntity {
public:
    // The views are those of the asset's text. Errors: limit.
    Status add(std::string_view key, std::string_view value, std::uint32_t line);
    // Adds the references of the keys so far. `compiled`: the game reads the map, not a compiler. Errors: limit.
    Status add_references(FoundReferences& found, bool compiled);
    // The next key belongs to another entity.
    void end() { class_name_ = {}; }

private:
    struct Value {
        std::string_view key;
        std::string_view value;
        std::uint32_t line = 0;
    };

    std::vector<Value> values_;
    std::string_view class_name_;
};

}  // namespace fardel
