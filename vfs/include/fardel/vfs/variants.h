// Variants: which of several assets behind one name a game gets, decided by one pure function.
//
// A preference names axes, the most important first, and of each axis the values that are wanted, the best first:
// "texture=astc,bc7,png; lang=fr,en; quality=hd". docs/vfs.md has the rule.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {

struct AxisPreference {
    std::string axis;
    std::vector<std::string> values;  // best first
    friend bool operator==(const AxisPreference&, const AxisPreference&) = default;
};

// Each axis once.
using VariantPreference = std::vector<AxisPreference>;

// Text ↔ value. Axes and values: letters, digits and - _ . + ; at most 64 axes of 64 values each.
// Errors: malformed, limit.
Result<VariantPreference> parse_variant_preference(std::string_view text);
std::string format_variant_preference(const VariantPreference& preference);

// What a variant is tagged with: axis, value; an axis at most once.
using VariantTags = std::vector<std::pair<std::string_view, std::string_view>>;

// The one to take of `variants`, at least one: by the first axis of the preference the one whose value stands first in
// the list; behind those the ones that say nothing about the axis, which suit everybody; last those with another value.
// Where that leaves several, by the next axis; and in the end the first of them.
std::size_t choose_variant(std::span<const VariantTags> variants, const VariantPreference& preference);

}  // namespace fardel
