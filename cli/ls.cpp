// fardel ls: lists the names of a bundle. It walks them twice: first to verify all of them, then to print them, so
// memory does not grow with the listing.

#include "bundles/bundle_file.h"
#include "bundles/metadata_text.h"
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

// What an asset states of its own that a reader of a list looks for.
Result<std::string> format_stated(const Bundle& bundle, const ListedVariant& variant) {
    std::string notes;
    FARDEL_TRY_ASSIGN(const auto stated, asset_metadata(bundle, variant.index));
    for (const StatedMetadata& one : stated) {
        const std::string_view key = metadata_key(one.key);
        if (key != "licence" && key != "expires")
            continue;
        FARDEL_TRY_ASSIGN(const MetadataValue value, metadata_value(bundle, one.record));
        notes += fmt::format("  ({} {})", key, format_metadata(key, value));
    }
    return notes;
}

// `chosen`: the position of the preferred variant.
Result<std::string> format_wide(const Bundle& bundle, const ListedName& name, std::uint32_t chosen) {
    if (name.variants.empty())
        return fmt::format("{:>14}  {:<28} {:<17}  {}\n", "-", "(tombstone)", "-", name.text);
    const ListedVariant& shown = name.variants[chosen];
    std::string notes;
    if (name.variants.size() > 1)
        notes += fmt::format("  ({} variants)", name.variants.size());
    if (!name.record.is(NameRecord::published))
        notes += "  (not published)";
    FARDEL_TRY_ASSIGN(const std::string stated, format_stated(bundle, shown));
    notes += stated;
    return fmt::format("{:>14}  {:<28} {}  {}{}\n", format_count(shown.asset.raw_bytes), printable(shown.type),
                       short_id(shown.asset.id), name.text, notes);
}

Result<Json> metadata_of(const Bundle& bundle, const ListedVariant& variant) {
    FARDEL_TRY_ASSIGN(const auto stated, asset_metadata(bundle, variant.index));
    return metadata_json(bundle, stated);
}

Result<Json> json_of(const Bundle& bundle, const ListedVariant& variant) {
    FARDEL_TRY_ASSIGN(Json metadata, metadata_of(bundle, variant));
    Json tags = Json::object();
    for (const auto& [axis, value] : variant.tags)
        tags.set(axis, value);
    return Json{{"asset", variant.asset.id.hex()},
                {"size", variant.asset.raw_bytes},
                {"type", variant.type},
                {"tags", std::move(tags)},
                {"metadata", std::move(metadata)}};
}

Result<Json> json_of(const Bundle& bundle, const ListedName& name, std::uint32_t chosen) {
    Json json{{"name", name.text}, {"asset", nullptr}, {"size", nullptr}, {"type", nullptr}, {"metadata", nullptr}};
    if (!name.variants.empty()) {
        const ListedVariant& shown = name.variants[chosen];
        json.set("asset", shown.asset.id.hex());
        json.set("size", shown.asset.raw_bytes);
        json.set("type", shown.type);
        FARDEL_TRY_ASSIGN(Json metadata, metadata_of(bundle, shown));
        json.set("metadata", std::move(metadata));
    }
    json.set("published", name.record.is(NameRecord::published));
    json.set("tombstone", name.record.is(NameRecord::tombstone));
    json.set("extends", name.record.is(NameRecord::extends));
    Json variants = Json::array();
    for (const ListedVariant& variant : name.variants)
        if (name.record.is(NameRecord::has_variants)) {
            FARDEL_TRY_ASSIGN(Json one, json_of(bundle, variant));
            variants.push_back(std::move(one));
        }
    json.set("variants", std::move(variants));
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
    if (style.form == ListForm::wide)
        return format_wide(bundle, name, chosen);
    FARDEL_TRY_ASSIGN(const Json json, json_of(bundle, name, chosen));
    return format_json(json, -1);
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
    // Of the bundle; each name has what its asset states of its own.
    FARDEL_TRY_ASSIGN(const auto own, own_metadata(bundle));
    FARDEL_TRY_ASSIGN(const Json metadata, metadata_json(bundle, own));
    FARDEL_TRY(console.write("{\n  \"bundle\": \"" + bundle.id().hex() +
                             "\",\n  \"metadata\": " + format_json(metadata, -1) + ",\n  \"names\": ["));
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
    line.flag("-l,--long", wide,
              "Also print size, content type, the start of the asset id, and an asset's own licence and date");
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
