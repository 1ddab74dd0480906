#include "bundles/variants_option.h"

#include <fardel/packer/nearest_word.h>
#include <fardel/vfs/bundle_variants.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace fardel {
namespace {

// A path with '=' in it is seldom one, and is named before the option or with "./".
bool is_preference(const std::string& word) {
    const auto parsed = parse_variant_preference(word);
    return parsed && !parsed->empty();
}

bool is_bound(const AxisPreference& item) { return item.most.has_value(); }

// "; did you mean 'lang'?", or all that there are.
std::string suggest(std::string_view word, const std::vector<std::string_view>& known) {
    if (known.empty())
        return "; there are none here";
    return "; " + suggest_word(word, known, "there are: ");
}

// Why the item has no effect; empty if it may have one.
std::string why_idle(const AxisPreference& item, const VariantPreference& axes) {
    std::vector<std::string_view> known;
    for (const AxisPreference& axis : axes) {
        if (is_bound(axis) != is_bound(item))
            continue;
        known.push_back(axis.axis);
        if (axis.axis != item.axis)
            continue;
        const auto is_there = [&](const std::string& value) {
            return std::ranges::find(axis.values, value) != axis.values.end();
        };
        if (is_bound(item) || std::ranges::any_of(item.values, is_there))
            return "";
        const std::vector<std::string_view> values(axis.values.begin(), axis.values.end());
        return fmt::format("no variant has {}={}{}", item.axis, fmt::join(item.values, ","),
                           suggest(item.values.front(), values));
    }
    return is_bound(item) ? fmt::format("no variant has the metric '{}'{}", item.axis, suggest(item.axis, known))
                          : fmt::format("no variant has the axis '{}'{}", item.axis, suggest(item.axis, known));
}

}  // namespace

void add_variants_option(CommandLine& line, std::vector<std::string>& words) {
    line.joined_texts("--variants", "AXIS=VALUE,...", words, is_preference,
                      "Which variants of names are taken, the most important axis first: texture=astc,png lang=fr,en "
                      "'triangles<=20000'");
}

Result<VariantPreference> read_variants(const std::vector<std::string>& words) {
    return parse_variant_preference(fmt::format("{}", fmt::join(words, " ")));
}

void add_extensions_option(CommandLine& line, std::string& list) {
    line.text("--extensions", "LIST", list,
              "If the path itself is no asset, try it with these extensions, in this order: \"tga,jpg,png\"");
}

Result<NameExtensions> read_extensions(const std::string& list) {
    return list.empty() ? NameExtensions() : NameExtensions::parse(list);
}

void say_idle_axes(const VariantPreference& preference, const VariantPreference& axes, Console& console) {
    for (const AxisPreference& item : preference)
        if (const std::string reason = why_idle(item, axes); !reason.empty())
            console.say("fardel: --variants: " + reason);
}

void say_idle_axes(const VariantPreference& preference, const Vfs& vfs, Console& console) {
    if (preference.empty())
        return;
    if (const auto axes = vfs.variant_axes())
        say_idle_axes(preference, *axes, console);
}

void say_idle_axes(const VariantPreference& preference, const Bundle& bundle, Console& console) {
    VariantAxes axes;
    if (!preference.empty() && add_variant_axes(bundle, axes))
        say_idle_axes(preference, list_axes(axes), console);
}

}  // namespace fardel
