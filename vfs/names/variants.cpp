#include "names/variant_choice.h"

#include <fardel/base/ascii.h>
#include <fardel/base/text_fields.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <compare>
#include <system_error>

namespace fardel {
namespace {

constexpr std::size_t kAxesMax = 64;
constexpr std::size_t kValuesMax = 64;

Error malformed(std::string_view what, std::string_view text) {
    return Error(ErrorCode::malformed, "variant preference: " + std::string(what) + " in \"" + printable(text) +
                                           "\"; it looks like \"texture=astc,png lang=fr,en triangles<=20000\"");
}

Result<std::string> parse_word(std::string_view text, std::string_view whole) {
    if (!is_word(text))
        return malformed("an axis or value has not 1 to 255 letters, digits and - _ . +", whole);
    return std::string(text);
}

// Removes spaces beside the signs that join, so that those that are left separate the items.
std::string without_inner_spaces(std::string_view text) {
    constexpr std::string_view kJoining = "=,<";
    std::string out;
    bool space = false;
    for (const char c : text) {
        if (is_ascii_space(c)) {
            space = true;
            continue;
        }
        if (space && !out.empty() && kJoining.find(c) == kJoining.npos && kJoining.find(out.back()) == kJoining.npos)
            out += ' ';
        space = false;
        out += c;
    }
    return out;
}

Result<double> parse_bound(std::string_view text, std::string_view whole) {
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        return malformed("behind '<=' there is no number such as 20000 or 1.5", whole);
    return number;
}

Result<AxisPreference> parse_preference_axis(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
        return malformed("'=' is missing", text);
    const bool is_bound = equals > 0 && text[equals - 1] == '<';
    AxisPreference out;
    FARDEL_TRY_ASSIGN(out.axis, parse_word(text.substr(0, equals - (is_bound ? 1 : 0)), text));
    std::string_view rest = text.substr(equals + 1);
    if (is_bound) {
        FARDEL_TRY_ASSIGN(out.most, parse_bound(rest, text));
        return out;
    }
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

bool is_same_subject(const AxisPreference& a, const AxisPreference& b) {
    return a.axis == b.axis && a.most.has_value() == b.most.has_value();
}

std::string format_bound(double number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return std::string(digits.data(), end);
}

// Smaller is better.
struct VariantRank {
    std::size_t group = 0;
    double within = 0;
    friend std::partial_ordering operator<=>(const VariantRank&, const VariantRank&) = default;
};

VariantRank rank_of_bound(const VariantTraits& variant, const AxisPreference& wanted) {
    const auto metric = std::ranges::find(variant.metrics, wanted.axis, &VariantMetric::name);
    if (metric == variant.metrics.end())
        return {.group = 1};
    return metric->value <= *wanted.most ? VariantRank{.group = 0, .within = -metric->value}
                                         : VariantRank{.group = 2, .within = metric->value};
}

VariantRank rank_of(const VariantTraits& variant, const AxisPreference& wanted) {
    if (wanted.most)
        return rank_of_bound(variant, wanted);
    const auto tag = std::ranges::find(variant.tags, wanted.axis, &TagView::axis);
    if (tag == variant.tags.end())
        return {.group = wanted.values.size()};
    const auto value = std::ranges::find(wanted.values, tag->value);
    return {.group = value != wanted.values.end() ? static_cast<std::size_t>(value - wanted.values.begin())
                                                  : wanted.values.size() + 1};
}

// Whether `a` is preferred to `b`.
bool is_better(const VariantTraits& a, const VariantTraits& b, const VariantPreference& preference) {
    for (const AxisPreference& wanted : preference) {
        const VariantRank of_a = rank_of(a, wanted);
        const VariantRank of_b = rank_of(b, wanted);
        if (of_a != of_b)
            return of_a < of_b;
    }
    return false;
}

}  // namespace

Result<VariantPreference> parse_variant_preference(std::string_view text) {
    VariantPreference out;
    std::string items = without_inner_spaces(text);
    std::ranges::replace(items, ';', ' ');
    for (const std::string_view part : split_text(items, ' ')) {
        if (part.empty())
            continue;
        if (out.size() == kAxesMax)
            return Error(ErrorCode::limit, "variant preference: more than " + std::to_string(kAxesMax) + " axes");
        FARDEL_TRY_ASSIGN(AxisPreference axis, parse_preference_axis(part));
        if (std::ranges::any_of(out, [&](const AxisPreference& other) { return is_same_subject(axis, other); }))
            return malformed("an axis is listed twice", part);
        out.push_back(std::move(axis));
    }
    return out;
}

std::string format_variant_preference(const VariantPreference& preference) {
    std::string text;
    for (const AxisPreference& wanted : preference) {
        text += (text.empty() ? "" : " ") + wanted.axis + (wanted.most ? "<=" + format_bound(*wanted.most) : "=");
        for (const std::string& value : wanted.values)
            text += (&value == wanted.values.data() ? "" : ",") + value;
    }
    return text;
}

std::size_t choose_variant(std::span<const VariantTraits> variants, const VariantPreference& preference) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < variants.size(); ++i)
        if (is_better(variants[i], variants[best], preference))
            best = i;
    return best;
}

}  // namespace fardel
