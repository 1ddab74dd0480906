// fardel ls: lists the names of a bundle. It walks them twice: first to verify all of them, then to print them, so
// memory does not grow with the listing.

#include "bundles/bundle_file.h"
#include "bundles/name_listing.h"
#include "console/figures.h"
#include "console/json.h"
#include "verbs.h"

#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <fmt/format.h>

#include <string>

namespace fardel {
namespace {

enum class ListForm { plain, wide, json };

std::string format_wide(const ListedName& name) {
    if (name.variants.empty())
        return fmt::format("{:>14}  {:<28} {:<17}  {}\n", "-", "(tombstone)", "-", name.text);
    const ListedVariant& shown = name.variants.front();
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

Json json_of(const ListedName& name) {
    Json json{{"name", name.text}, {"asset", nullptr}, {"size", nullptr}, {"type", nullptr}};
    if (!name.variants.empty()) {
        const ListedVariant& shown = name.variants.front();
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

Result<std::string> format_name(const Bundle& bundle, std::uint32_t index, ListForm form) {
    if (form == ListForm::plain) {
        FARDEL_TRY_ASSIGN(const std::string_view text, name_text_at(bundle, index));
        return std::string(text) + '\n';
    }
    FARDEL_TRY_ASSIGN(const ListedName name, name_at(bundle, index));
    return form == ListForm::wide ? format_wide(name) : format_json(json_of(name), -1);
}

// Calls `visit` with the text of each name.
template <class Visit>
Status walk(const Bundle& bundle, const NameRange& range, ListForm form, Visit visit) {
    for (std::uint32_t i = range.first; i < range.last; ++i) {
        if (range.published_only) {
            FARDEL_TRY_ASSIGN(const NameRecord record, bundle.name(NameIndex{i}));
            if (!record.is(NameRecord::published))
                continue;
        }
        FARDEL_TRY_ASSIGN(const std::string text, format_name(bundle, i, form));
        FARDEL_TRY(visit(text));
    }
    return ok();
}

Status print(const Bundle& bundle, const NameRange& range, ListForm form, Console& console) {
    if (form != ListForm::json)
        return walk(bundle, range, form, [&](const std::string& text) { return console.write(text); });
    FARDEL_TRY(console.write("{\n  \"bundle\": \"" + bundle.id().hex() + "\",\n  \"names\": ["));
    std::string_view separator = "\n    ";
    const auto write = [&](const std::string& text) {
        Status written = console.write(separator);
        separator = ",\n    ";
        return written ? console.write(text) : written;
    };
    FARDEL_TRY(walk(bundle, range, form, write));
    return console.write("\n  ]\n}\n");
}

}  // namespace

Result<Exit> run_ls(Words words, Console& console) {
    CommandLine line("ls", "FILE [PATH] [-l] [--json]", "Lists the names in a bundle, one per line.",
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
    line.json(json, "Print everything about each name as JSON, with whole ids");
    if (const auto over = line.parse(words, console))
        return *over;

    FARDEL_TRY_ASSIGN(const auto bundle, open_bundle(file));
    FARDEL_TRY_ASSIGN(const NameRange range, find_names_at(*bundle, path));
    const ListForm form = json ? ListForm::json : wide ? ListForm::wide : ListForm::plain;
    FARDEL_TRY(walk(*bundle, range, form, [](const std::string&) { return ok(); }));
    FARDEL_TRY(print(*bundle, range, form, console));
    return Exit::fine;
}

}  // namespace fardel
