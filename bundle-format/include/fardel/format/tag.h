// Tag: an axis and a value ("quality", "hd") by which the variants of a name differ.
//
// Plans and projects contain tags as the packer collected them; write_bundle and the verifier refuse tags that break
// the rules here. A variant has at most limits::kTagsPerVariantMax tags and an axis at most once.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct Tag {
    std::string axis;
    std::string value;

    friend bool operator==(const Tag&, const Tag&) = default;
    friend std::strong_ordering operator<=>(const Tag&, const Tag&) = default;
};
using Tags = std::vector<Tag>;

// A tag whose texts belong to the bundle that it was read from.
struct TagView {
    std::string_view axis;
    std::string_view value;

    friend bool operator==(const TagView&, const TagView&) = default;
    friend std::strong_ordering operator<=>(const TagView&, const TagView&) = default;
};
using TagViews = std::vector<TagView>;

// Axis and value are words (docs/bundle-format.md, "tags"): 1 to 255 of the characters that a preference such as
// "texture=astc,bc7; lang=fr" can spell. For messages:
inline constexpr std::string_view kTagWordCharacters = "letters, digits and - _ . +";

}  // namespace fardel
