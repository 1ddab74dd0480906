// Variants: the choice between several assets of one name, made by one pure function.
//
// A preference lists axes, the most important first, and for each axis the wanted values, the best first:
// "texture=astc,bc7,png; lang=fr,en; quality=hd". docs/vfs.md defines the rule.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/tag.h>

#include <cstddef>
#include <span>
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

// Text ↔ value. Axes and values: 1 to 255 letters, digits and - _ . + ; at most 64 axes of 64 values each.
// Errors: malformed, limit.
Result<VariantPreference> parse_variant_preference(std::string_view text);
std::string format_variant_preference(const VariantPreference& preference);

// The tags of a variant: axis, value; an axis at most once.
using VariantTags = TagViews;

// The index of the best of `variants`, which is not empty. The first axis of the preference ranks them: variants with a
// wanted value by that value's position in the list; then variants without the axis, which suit every preference; last
// variants with another value. The next axis ranks those that are equal so far. Of the best the first is returned.
std::size_t choose_variant(std::span<const VariantTags> variants, const VariantPreference& preference);

}  // namespace fardel
