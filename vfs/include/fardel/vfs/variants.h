// VariantPreference: which of several assets of one name a game wants.
//
// A preference lists axes, the most important first, and for each axis the wanted values, the best first:
// "texture=astc,bc7,png; lang=fr,en; quality=hd". docs/vfs.md defines the rule.
#pragma once

#include <fardel/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct AxisPreference {
    std::string axis;
    std::vector<std::string> values;  // best first
    friend bool operator==(const AxisPreference&, const AxisPreference&) = default;
};

// Each axis once.
using VariantPreference = std::vector<AxisPreference>;

// Axes and values: 1 to 255 letters, digits and - _ . + ; at most 64 axes of 64 values each.
// Errors: malformed, limit.
Result<VariantPreference> parse_variant_preference(std::string_view text);

}  // namespace fardel
