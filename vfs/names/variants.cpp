#include "names/variant_choice.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <algorithm>

namespace fardel {
namespace {

constexpr std::size_t kAxesMax = 64;
constexpr std::size_t kValuesMax = 64;

Error malformed(std::string_view what, std::string_view text) {
    return Error(ErrorCode::malformed, "variant preference: " + std::string(what) + " in \"" + printable(text) +
                                           "\"; it looks like \"texture=astc,png; lang=fr,en\"");
}

Result<std::string> parse_word(std::string_view text, std::string_view whole) {
    text = trimmed(text);
    if (!is_word(text))
        return malformed("an axis or value has not 1 to 255 letters, digits and - _ . +", whole);
    return std::string(text);
}

Result<AxisPreference> parse_preference_axis(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
        return malformed("'=' is missing", text);
    AxisPreference out;
    FARDEL_TRY_ASSIGN(out.axis, parse_word(text.substr(0, equals), text));
    std::string_view rest = text.substr(equals + 1);
    for (bool more = true; more;) {
        const auto comma = rest.find(',');
        more = comma != std::string_view::npos;
        if (out.values.size() == kValuesMax)
            return Error(ErrorCode::limit,
                         "variant preference: more than " + std::to_string(kValuesMax) + " values of an axis");
        FARDEL_TRY_ASSIGN(std::string value, parse_word(rest.substr(0, comma), text));
        if (std::ranges::find(out.values, value) != out.values.end())
            return malformed("a value is listed twice", text);
        out.values.push_back(std::move(value));
        rest.remove_prefix(more ? comma + 1 : rest.size());
    }
    return out;
}

// Smaller is better.
std::size_t rank_of(const VariantTags& tags, const AxisPreference& wanted) {
    const auto tag = std::ranges::find(tags, wanted.axis, &TagView::axis);
    if (tag == tags.end())
        return wanted.values.size();
    const auto value = std::ranges::find(wanted.values, tag->value);
    return value != wanted.values.end() ? static_cast<std::size_t>(value - wanted.values.begin())
                                        : wanted.values.size() + 1;
}

// Whether `a` is preferred to `b`.
bool is_better(const VariantTags& a, const VariantTags& b, const VariantPreference& preference) {
    for (const AxisPreference& axis : preference)
        if (const std::size_t of_a = rank_of(a, axis), of_b = rank_of(b, axis); of_a != of_b)
            return of_a < of_b;
    return false;
}

}  // namespace

Result<VariantPreference> parse_variant_preference(std::string_view text) {
    VariantPreference out;
    while (!trimmed(text).empty()) {
        if (const std::string_view part = trimmed(read_until(text, ';')); !part.empty()) {
            if (out.size() == kAxesMax)
                return Error(ErrorCode::limit, "variant preference: more than " + std::to_string(kAxesMax) + " axes");
            FARDEL_TRY_ASSIGN(AxisPreference axis, parse_preference_axis(part));
            if (std::ranges::find(out, axis.axis, &AxisPreference::axis) != out.end())
                return malformed("an axis is listed twice", part);
            out.push_back(std::move(axis));
        }
    }
    return out;
}

std::size_t choose_variant(std::span<const VariantTags> variants, const VariantPreference& preference) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < variants.size(); ++i)
        if (is_better(variants[i], variants[best], preference))
            best = i;
    return best;
}

}  // namespace fardel
