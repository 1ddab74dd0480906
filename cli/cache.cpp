// fardel cache: lists the layers of a project's cache; creates, checks and trims folders of derived data.
// docs/derived-cache.md describes their content.

#include "build/cache_option.h"
#include "build/resolved_project.h"
#include "bundles/store_option.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/base/interrupt.h>
#include <fardel/base/path_text.h>
#include <fardel/base/shared_mode.h>
#include <fardel/cache/cache_layers.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/format/name.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_build.h>
#include <fardel/packer/project_cache.h>
#include <fardel/packer/project_path.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kBrokenListedMax = 10;  // --json lists all

struct CheckedFolder {
    std::string folder;
    CacheFolderReport report;
};

// ---- Contents -------------------------------------------------------------------------------------------------------

std::string format_folder(const CheckedFolder& checked, bool was_read, const Console& console) {
    const CacheFolderReport& report = checked.report;
    std::string text = fmt::format("{}\n", printable(checked.folder));
    text += fmt::format("  records     {}, {}\n", format_count(report.records), format_size(report.record_bytes));
    text += fmt::format("  objects     {}, {}\n", format_count(report.objects), format_size(report.object_bytes));
    if (report.packs != 0)
        text += fmt::format("  packs       {}, {}\n", format_count(report.packs), format_size(report.pack_bytes));
    if (report.unfinished != 0)
        text += fmt::format("  unfinished  {}, {}\n", format_count(report.unfinished, "file", "files"),
                            format_size(report.unfinished_bytes));
    if (!was_read)
        return text;
    for (const auto& [key, records] : report.signed_records)
        text += fmt::format("  signed      {} by {}\n", format_count(records, "record", "records"), key.hex());
    if (report.incomplete != 0)
        text += fmt::format("  incomplete  {}, whose objects are gone\n",
                            format_count(report.incomplete, "record", "records"));
    if (report.broken.empty())
        return text + fmt::format("  {}\n", console.paint(Colour::green, "everything is intact"));
    text += fmt::format("  {}      {}{}\n", console.paint(Colour::red, "broken"),
                        format_count(report.broken.size(), "file", "files"),
                        report.removed != 0 ? fmt::format(", {} removed", format_count(report.removed)) : "");
    return text + format_items(report.broken, kBrokenListedMax, "    ", [](const std::string& file) { return file; });
}

Json json_of(const CheckedFolder& checked, bool was_read) {
    const CacheFolderReport& report = checked.report;
    Json json{{"folder", checked.folder},
              {"records", report.records},
              {"record_bytes", report.record_bytes},
              {"objects", report.objects},
              {"object_bytes", report.object_bytes},
              {"packs", report.packs},
              {"pack_bytes", report.pack_bytes},
              {"unfinished", report.unfinished},
              {"unfinished_bytes", report.unfinished_bytes}};
    if (was_read) {
        Json signed_records = Json::object();
        for (const auto& [key, records] : report.signed_records)
            signed_records.set(key.hex(), records);
        json.set("signed", std::move(signed_records));
        json.set("incomplete", report.incomplete);
        json.set("broken", report.broken);
        json.set("removed", report.removed);
    }
    return json;
}

std::uint64_t bytes_of(const CacheFolderReport& report) { return report.record_bytes + report.object_bytes; }

struct CheckCommand {
    std::vector<std::string> folders;
    bool read = true;
    bool remove = false;
    bool json = false;
};

Result<Exit> check(const CheckCommand& command, Console& console) {
    const Interrupt interrupt;
    std::vector<CheckedFolder> checked;
    for (const std::string& folder : command.folders) {
        // First without reading, which is quick and says how much there is to read.
        CacheCheckOptions check{.read = false, .remove = command.remove, .stop = interrupt.token()};
        FARDEL_TRY_ASSIGN(CacheFolderReport report, check_cache_folder(folder, check));
        if (command.read) {
            ProgressBar bar(console, "checking");
            check.read = true;
            check.progress = [&bar, total = bytes_of(report)](const CacheFolderReport& so_far) {
                bar.show_bytes(bytes_of(so_far), total);
            };
            FARDEL_TRY_ASSIGN(report, check_cache_folder(folder, check));
        }
        std::ranges::sort(report.broken);
        checked.push_back({.folder = folder, .report = std::move(report)});
    }
    const bool good = std::ranges::all_of(
        checked, [](const CheckedFolder& one) { return one.report.broken.size() == one.report.removed; });
    const auto json = [&](const CheckedFolder& one) { return json_of(one, command.read); };
    const auto text = [&](const CheckedFolder& one) { return format_folder(one, command.read, console); };
    return print_result(
        console, command.json,
        [&] {
            return Json{{"folders", json_list(checked, json)}};
        },
        [&] { return format_each(checked, text); }, good ? Exit::fine : Exit::refusal);
}

Result<Exit> run_stats(Words words, Console& console) {
    CommandLine line("cache stats", "FOLDER... [--check] [--json]",
                     "Shows how much caches contain: records, objects, bytes.",
                     "  fardel cache stats ~/.cache/fardel\n"
                     "  fardel cache stats --check ~/.cache/fardel      # reads every byte\n");
    CheckCommand command;
    command.read = false;
    line.texts("FOLDER", "FOLDER", command.folders, "The folders of the caches").required();
    line.flag("--check", command.read, "Also read everything, and list what is broken");
    line.json(command.json);
    return line.run(words, console, [&] { return check(command, console); });
}

Result<Exit> run_cache_verify(Words words, Console& console) {
    CommandLine line("cache verify", "FOLDER... [--remove] [--json]",
                     "Reads every byte of caches and lists the records and objects that are broken.",
                     "  fardel cache verify ~/.cache/fardel\n"
                     "  fardel cache verify ~/.cache/fardel --remove\n");
    CheckCommand command;
    line.texts("FOLDER", "FOLDER", command.folders, "The folders of the caches").required();
    line.flag("--remove", command.remove, "Remove what is broken; it is built again when it is needed");
    line.json(command.json);
    return line.run(words, console, [&] { return check(command, console); });
}

// ---- Trimming -------------------------------------------------------------------------------------------------------

struct TrimmedFolder {
    std::string folder;
    CacheTrimReport report;
};

std::string format_trimmed(const TrimmedFolder& trimmed) {
    const CacheTrimReport& report = trimmed.report;
    const std::string packed =
        report.files_packed == 0 ? "" : "packed " + format_count(report.files_packed, "file", "files") + "; ";
    return fmt::format("{}: removed {} of {}, {}; {}{} left\n", printable(trimmed.folder),
                       format_count(report.files_removed), format_count(report.files_seen, "file", "files"),
                       format_size(report.bytes_removed), packed, format_size(report.bytes_left));
}

Json json_of(const TrimmedFolder& trimmed) {
    return Json{{"folder", trimmed.folder},
                {"files_seen", trimmed.report.files_seen},
                {"files_removed", trimmed.report.files_removed},
                {"files_packed", trimmed.report.files_packed},
                {"bytes_removed", trimmed.report.bytes_removed},
                {"bytes_left", trimmed.report.bytes_left}};
}

Result<Exit> run_trim(Words words, Console& console) {
    CommandLine line(
        "cache trim", "FOLDER... [--size SIZE] [--unused DAYS] [--rate FILES] [--pack] [--json]",
        "Removes from caches what has not been used for a long time, "
        "then the least recently used files until the rest fits. Files used within the last hour are kept.",
        "  fardel cache trim ~/.cache/fardel --size 20G\n"
        "  fardel cache trim ~/.cache/fardel --unused 14 --size 1T\n"
        "  fardel cache trim ~/.cache/fardel --pack\n");
    std::vector<std::string> folders;
    std::optional<std::uint64_t> size;
    CacheTrimOptions trim;
    std::uint64_t days = 30;
    std::uint64_t rate = trim.removals_per_second_max;
    bool json = false;
    line.texts("FOLDER", "FOLDER", folders, "The folders of the caches").required();
    line.size("--size", size, "How much to keep: bytes, or a number followed by K, M, G or T (default: 20 GiB)");
    line.number("--unused", days, 0, 36'500, "Remove what was not used for so many days (default: 30)");
    line.number("--rate", rate, 1, 1'000'000, "Remove at most so many files per second (default: 2000)");
    line.flag(
        "--pack", trim.packs,
        "Also move small files into packs, if there are many. Not for a folder that nginx or another server gives "
        "out file by file");
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    trim.bytes_max = size.value_or(trim.bytes_max);
    trim.unused_for = std::chrono::hours(24 * days);
    trim.removals_per_second_max = static_cast<std::uint32_t>(rate);

    const Interrupt interrupt;
    std::vector<TrimmedFolder> trimmed;
    for (const std::string& folder : folders) {
        FARDEL_TRY_ASSIGN(const CacheTrimReport report, trim_cache_folder(folder, trim, interrupt.token()));
        trimmed.push_back({folder, report});
    }
    return print_result(
        console, json,
        [&] {
            return Json{{"folders", json_list(trimmed, [](const auto& one) { return json_of(one); })}};
        },
        [&] { return format_each(trimmed, format_trimmed); });
}

// ---- Creating and exporting -----------------------------------------------------------------------------------------

Result<Exit> run_cache_init(Words words, Console& console) {
    CommandLine line("cache init", "FOLDER [--shared]",
                     "Creates an empty cache: a folder with CACHEDIR.TAG in it. An existing cache is left unchanged.",
                     "  fardel cache init /srv/fardel/cache\n");
    std::string folder;
    bool shares = false;
    line.text("FOLDER", "FOLDER", folder, "The folder to create; it may exist if it is empty").required();
    add_shared_option(line, "cache", shares);
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const auto layer, open_folder_layer(folder));
    if (shares)
        FARDEL_TRY(share_with_group(folder));
    return console.print(fmt::format("{} can be used as a cache\n", printable(folder)));
}

Result<Exit> run_export(Words words, Console& console) {
    CommandLine line(
        "cache export", "FOLDER -o OUT [--json]",
        "Writes everything that is intact in a cache to a bundle, which can be used as a read-only cache layer.",
        "  fardel cache export ~/.cache/fardel -o farm.fardel\n");
    std::string folder;
    std::string out;
    bool json = false;
    line.text("FOLDER", "FOLDER", folder, "The folder of the cache").required();
    line.text("-o,--output", "OUT", out, "The bundle to write; an existing one is replaced atomically").required();
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const CacheExportReport written, export_cache_bundle(folder, out));
    const std::string left_out =
        written.broken == 0 ? ""
                            : "; left out " + format_count(written.broken, "incomplete record", "incomplete records");
    return print_result(
        console, json,
        [&] {
            return Json{
                {"file", out}, {"records", written.records}, {"objects", written.objects}, {"broken", written.broken}};
        },
        [&] {
            return fmt::format("wrote {}: {}, {}{}\n", printable(out),
                               format_count(written.records, "record", "records"),
                               format_count(written.objects, "object", "objects"), left_out);
        });
}

// ---- Layers ---------------------------------------------------------------------------------------------------------

std::string layer_place(const CacheSetting& setting) {
    return !setting.folder.empty() ? "folder " + setting.folder
           : !setting.url.empty()  ? "server " + setting.url
                                   : "bundle " + setting.bundle;
}

// What builds do with the layer, as words.
std::string layer_policy(const MergedCache& layer) {
    const CacheSetting& setting = layer.setting;
    if (!layer.unused.empty())
        return "not used: " + layer.unused;
    const bool can_write = setting.bundle.empty();
    std::vector<std::string> words;
    for (const auto& [word, is_so] :
         {std::pair("read", setting.read.value_or(true)), std::pair("write", can_write && setting.write.value_or(true)),
          std::pair("fill", can_write && setting.fill.value_or(true))})
        if (is_so)
            words.emplace_back(word);
    if (!setting.signed_by.empty())
        words.push_back("signed by " + format_count(setting.signed_by.size(), "key", "keys"));
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string format_layer(const MergedCache& layer) {
    std::string text = fmt::format("{:<11} {}\n            {}\n", layer.setting.name,
                                   printable(layer_place(layer.setting)), printable(layer_policy(layer)));
    for (const CacheKeyOrigin& origin : layer.origins)
        text += fmt::format("              {:<11} {}\n", origin.key, origin.text);
    return text;
}

Json json_of(const MergedCache& layer) {
    const CacheSetting& setting = layer.setting;
    Json origins = Json::object();
    for (const CacheKeyOrigin& origin : layer.origins)
        origins.set(std::string(origin.key), origin.text);
    Json json{{"layer", setting.name}, {"name", layer_place(setting)}};
    json.set("unused", layer.unused.empty() ? Json() : Json(layer.unused));
    json.set("read", setting.read.value_or(true));
    json.set("write", setting.bundle.empty() && setting.write.value_or(true));
    json.set("fill", setting.bundle.empty() && setting.fill.value_or(true));
    json.set("signed_by", json_list(setting.signed_by, [](const PublicKey& key) { return Json(key.hex()); }));
    json.set("slow_ms", setting.slow.value_or(CacheLayerPolicy().slow).count());
    json.set("bytes_max", setting.limits.bytes_max ? Json(*setting.limits.bytes_max) : Json());
    json.set("unused_days", setting.limits.unused_days ? Json(*setting.limits.unused_days) : Json());
    json.set("graphs", setting.graphs);
    json.set("origins", std::move(origins));
    return json;
}

// The project's own folder, which is the first layer.
MergedCache own_layer_of(const Project& project, const std::string& folder) {
    return MergedCache{.setting = {.name = std::string(kOwnCacheName),
                                   .folder = path_in_project(folder, std::string(kBuildFolder) + "/cache"),
                                   .limits = project.own_cache}};
}

Result<Exit> run_layers(Words words, Console& console) {
    CommandLine line("cache layers", "[DIR] [--cache NAME=WHAT] [--cache-graph GRAPH] [--json]",
                     "Lists the layers of a project's derived-data cache in the order in which builds ask them, and "
                     "where each setting comes from: a file and its line, a variable or an option. Opens none of them.",
                     "  fardel cache layers\n"
                     "  fardel cache layers mygame --cache farm=off\n");
    std::string folder;
    CacheRequest caches{.reads_configuration = true};
    bool json = false;
    line.text("DIR", "DIR", folder,
              "The folder of the fardel.toml; the current folder when left out. Without a project there, the layers of "
              "the machine and its user");
    add_cache_options(line, caches);
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const std::string file, project_file_of(folder));
    const std::string project_folder(folder_part(file));
    std::vector<MergedCache> layers;
    std::vector<CacheSetting> of_project;
    if (!folder.empty() || file_exists(file)) {  // one that was named must be there
        FARDEL_TRY_ASSIGN(const Project project, read_project(file));
        layers.push_back(own_layer_of(project, project_folder));
        of_project = project.caches;
    }
    FARDEL_TRY_ASSIGN(const CacheSettings settings, read_cache_settings(caches));
    FARDEL_TRY_ASSIGN(MergedCaches merged, find_project_caches(of_project, project_folder, settings));
    std::ranges::move(merged.layers, std::back_inserter(layers));
    return print_result(
        console, json,
        [&] {
            return Json{{"graph", merged.graph},
                        {"graph_origin", merged.graph_origin},
                        {"layers", json_list(layers, [](const MergedCache& layer) { return json_of(layer); })},
                        {"notes", merged.notes}};
        },
        [&] {
            std::string text = fmt::format("graph       {} ({})\n", merged.graph, merged.graph_origin);
            text += format_each(layers, format_layer);
            for (const std::string& note : merged.notes)
                text += fmt::format("{} {}\n", console.paint(Colour::yellow, "note:"), note);
            return text;
        });
}

constexpr std::string_view kCacheHelp =
    "Creates, checks and trims caches of derived data: "
    "outputs of the packer's jobs, stored under a key of their inputs.\n\n"
    "Usage: fardel cache layers [DIR] [--cache NAME=WHAT] [--cache-graph GRAPH] [--json]\n"
    "       fardel cache init FOLDER [--shared]\n"
    "       fardel cache stats FOLDER... [--check] [--json]\n"
    "       fardel cache trim FOLDER... [--size SIZE] [--unused DAYS] [--rate FILES] [--pack] [--json]\n"
    "       fardel cache verify FOLDER... [--remove] [--json]\n"
    "       fardel cache export FOLDER -o OUT [--json]\n\n"
    "Examples:\n"
    "  fardel cache layers mygame\n"
    "  fardel cache stats ~/.cache/fardel\n"
    "  fardel cache trim ~/.cache/fardel --size 20G\n\n"
    "'fardel cache trim --help' explains one sub-verb. More: man fardel-cache\n";

constexpr SubVerb kCacheVerbs[] = {{"layers", run_layers}, {"init", run_cache_init},     {"stats", run_stats},
                                   {"trim", run_trim},     {"verify", run_cache_verify}, {"export", run_export}};

}  // namespace

Result<Exit> run_cache(Words words, Console& console) {
    return run_sub_verb("cache", kCacheVerbs, kCacheHelp, words, console);
}

}  // namespace fardel
