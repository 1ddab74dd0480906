// Tag: an axis and a value ("quality", "hd") by which the variants of a name differ.
//
// Plans and projects contain tags as the packer collected them; write_bundle and the verifier refuse tags that break
// the rules here. A variant has at most limits::kTagsPerVariantMax tags and an axis at most once.
// MetadataValue: what is stated under a key of metadata.
#pragma once

#include <fardel/base/result.h>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fardel {

template <class Text>
struct BasicTag {
    Text axis;
    Text value;
    friend bool operator==(const BasicTag&, const BasicTag&) = default;
    friend std::strong_ordering operator<=>(const BasicTag&, const BasicTag&) = default;
};
using Tag = BasicTag<std::string>;
using Tags = std::vector<Tag>;
using TagView = BasicTag<std::string_view>;  // the texts belong to the bundle that it was read from
using TagViews = std::vector<TagView>;

// Axis and value are words (docs/bundle-format.md, "tags"): 1 to 255 of the characters that a preference such as
// "texture=astc,bc7; lang=fr" can spell. For messages:
inline constexpr std::string_view kTagWordCharacters = "letters, digits and - _ . +";

// Reads "axis=value". Error: malformed.
Result<Tag> parse_tag(std::string_view text);

using MetadataValue = std::variant<std::string, double, std::int64_t, bool>;

}  // namespace fardel
