// fardel ls: lists the names of a bundle. It walks them twice: first to verify all of them, then to print them, so
// memory does not grow with the listing.

#include "bundles/bundle_file.h"
#include "bundles/name_listing.h"
#include "bundles/variants_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/vfs/bundle_variants.h>

#include <fmt/format.h>

#include <string>

namespace fardel {
namespace {

enum class ListForm { plain, wide, json };

// `chosen`: the position of the preferred variant.
std::string format_wide(const ListedName& name, std::uint32_t chosen) {
    if (name.variants.empty())
        return fmt::format("{:>14}  {:<28} {:<17}  {}\n", "-", "(tombstone)", "-", name.text);
    const ListedVariant& shown = name.variants[chosen];
    std::string notes;
    if (name.variants.size() > 1)
        notes += fmt::format("  ({} variants)", name.variants.size());
    if (!name.record.is(NameRecord::published))
        notes += "  (not published)";
    return fmt::format("{:>14}  {:<28} {}  {}{}\n", format_count(shown.asset.raw_bytes), printable(shown.type),
                       short_id(shown.asset.id), name.text, notes);
}

Json json_of(const ListedVariant& variant) {
    Json tags = Json::object();
    for (const auto& [axis, value] : variant.tags)
        tags.set(axis, value);
    return Json{{"asset", variant.asset.id.hex()},
                {"size", variant.asset.raw_bytes},
                {"type", variant.type},
                {"tags", std::move(tags)}};
}

Json json_of(const ListedName& name, std::uint32_t chosen) {
    Json json{{"name", name.text}, {"asset", nullptr}, {"size", nullptr}, {"type", nullptr}};
    if (!name.variants.empty()) {
        const ListedVariant& shown = name.variants[chosen];
        json.set("asset", shown.asset.id.hex());
        json.set("size", shown.asset.raw_bytes);
        json.set("type", shown.type);
    }
    json.set("published", name.record.is(NameRecord::published));
    json.set("tombstone", name.record.is(NameRecord::tombstone));
    json.set("extends", name.record.is(NameRecord::extends));
    json.set("variants", Json::array());
    if (name.record.is(NameRecord::has_variants))
        json.set("variants", json_list(name.variants, [](const ListedVariant& variant) { return json_of(variant); }));
    return json;
}

struct ListStyle {
    ListForm form = ListForm::plain;
    VariantPreference preference;
};

Result<std::string> format_name(const Bundle& bundle, std::uint32_t index, const ListStyle& style) {
    if (style.form == ListForm::plain) {
        FARDEL_TRY_ASSIGN(const std::string_view text, name_text_at(bundle, index));
        return std::string(text) + '\n';
    }
    FARDEL_TRY_ASSIGN(const ListedName name, name_at(bundle, index));
    FARDEL_TRY_ASSIGN(const std::uint32_t chosen, choose_in_bundle(bundle, name.record, style.preference));
    return style.form == ListForm::wide ? format_wide(name, chosen) : format_json(json_of(name, chosen), -1);
}

// Calls `visit` with the text of each name.
template <class Visit>
Status walk(const Bundle& bundle, const NameRange& range, const ListStyle& style, Visit visit) {
    for (std::uint32_t i = range.first; i < range.last; ++i) {
        if (range.published_only) {
            FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
            if (!record.is(NameRecord::published))
                continue;
        }
        FARDEL_TRY_ASSIGN(const std::string text, format_name(bundle, i, style));
        FARDEL_TRY(visit(text));
    }
    return ok();
}

Status print(const Bundle& bundle, const NameRange& range, const ListStyle& style, Console& console) {
    if (style.form != ListForm::json)
        return walk(bundle, range, style, [&](const std::string& text) { return console.write(text); });
    FARDEL_TRY(console.write("{\n  \"bundle\": \"" + bundle.id().hex() + "\",\n  \"names\": ["));
    std::string_view separator = "\n    ";
    const auto write = [&](const std::string& text) {
        Status written = console.write(separator);
        separator = ",\n    ";
        return written ? console.write(text) : written;
    };
    FARDEL_TRY(walk(bundle, range, style, write));
    return console.write("\n  ]\n}\n");
}

}  // namespace

Result<Exit> run_ls(Words words, Console& console) {
    CommandLine line("ls", "FILE [PATH] [-l] [--variants AXIS=VALUE,...] [--json]",
                     "Lists the names in a bundle, one per line.",
                     "  fardel ls mygame.fardel\n"
                     "  fardel ls -l mygame.fardel textures/base     # one folder, with sizes, types and ids\n"
                     "  fardel ls mygame.fardel /                    # published names only\n");
    std::string file;
    std::string path;
    bool wide = false;
    bool json = false;
    line.text("FILE", "FILE", file, "The bundle").required();
    line.text("PATH", "PATH", path, "A name or folder; with a leading '/', only published names");
    line.flag("-l,--long", wide, "Also print size, content type and the start of the asset id");
    std::vector<std::string> variants;
    add_variants_option(line, variants);
    line.json(json, "Print everything about each name as JSON, with whole ids");
    if (const auto over = line.parse(words, console))
        return *over;
    auto preference = read_variants(variants);
    if (!preference)
        return line.mistake(preference.error().text(), console);

    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    say_idle_axes(*preference, *bundle, console);
    FARDEL_TRY_ASSIGN(const NameRange range, find_names_at(*bundle, path));
    const ListStyle style{.form = json   ? ListForm::json
                                  : wide ? ListForm::wide
                                         : ListForm::plain,
                          .preference = *std::move(preference)};
    FARDEL_TRY(walk(*bundle, range, style, [](const std::string&) { return ok(); }));
    FARDEL_TRY(print(*bundle, range, style, console));
    return Exit::fine;
}

}  // namespace fardel
