// fardel cache: looks after folders of derived data, layer of a cache each. docs/derived-cache.md tells what is in
// them.

#include "console/figures.h"
#include "console/interrupt.h"
#include "console/json.h"
#include "console/progress_bar.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/store/cache_layers.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kBrokenListedMax = 10;  // --json has all

struct CheckedFolder {
    std::string folder;
    CacheFolderReport report;
};

// ---- What is in them ------------------------------------------------------------------------------------------------

std::string format_folder(const CheckedFolder& checked, bool was_read, const Console& console) {
    const CacheFolderReport& report = checked.report;
    std::string text = fmt::format("{}\n", printable(checked.folder));
    text += fmt::format("  records     {}, {}\n", format_count(report.records), format_size(report.record_bytes));
    text += fmt::format("  objects     {}, {}\n", format_count(report.objects), format_size(report.object_bytes));
    if (report.unfinished != 0)
        text += fmt::format("  unfinished  {}, {}\n", format_count(report.unfinished, "file", "files"),
                            format_size(report.unfinished_bytes));
    if (!was_read)
        return text;
    if (report.incomplete != 0)
        text += fmt::format("  incomplete  {}, whose objects have left\n",
                            format_count(report.incomplete, "record", "records"));
    if (report.broken.empty())
        return text + fmt::format("  {}\n", console.paint(Colour::green, "everything is whole"));
    text += fmt::format("  {}      {}{}\n", console.paint(Colour::red, "broken"),
                        format_count(report.broken.size(), "file", "files"),
                        report.removed != 0 ? fmt::format(", {} removed", format_count(report.removed)) : "");
    for (const std::string& file : std::span(report.broken).first(std::min(report.broken.size(), kBrokenListedMax)))
        text += fmt::format("    {}\n", file);
    if (report.broken.size() > kBrokenListedMax)
        text +=
            fmt::format("    … and {} more; --json lists all\n", format_count(report.broken.size() - kBrokenListedMax));
    return text;
}

Json json_of(const CheckedFolder& checked, bool was_read) {
    const CacheFolderReport& report = checked.report;
    Json json{{"folder", checked.folder},
              {"records", report.records},
              {"record_bytes", report.record_bytes},
              {"objects", report.objects},
              {"object_bytes", report.object_bytes},
              {"unfinished", report.unfinished},
              {"unfinished_bytes", report.unfinished_bytes}};
    if (was_read) {
        json["incomplete"] = report.incomplete;
        json["broken"] = report.broken;
        json["removed"] = report.removed;
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
        CacheCheck check{.read = false, .remove = command.remove, .stop = interrupt.token(), .progress = {}};
        FARDEL_TRY_ASSIGN(CacheFolderReport report, check_cache_folder(folder, check));
        if (command.read) {
            ProgressBar bar(console, "checking");
            check.read = true;
            check.progress = [&bar, total = bytes_of(report)](const CacheFolderReport& so_far) {
                bar.show(bytes_of(so_far), total,
                         fmt::format("{} of {}", format_size(bytes_of(so_far)), format_size(total)));
            };
            FARDEL_TRY_ASSIGN(report, check_cache_folder(folder, check));
        }
        std::ranges::sort(report.broken);
        checked.push_back({.folder = folder, .report = std::move(report)});
    }
    Json folders = Json::array();
    for (const CheckedFolder& one : checked) {
        folders.push_back(json_of(one, command.read));
        if (!command.json)
            FARDEL_TRY(console.write(format_folder(one, command.read, console)));
    }
    if (command.json)
        FARDEL_TRY(console.write(format_json(Json{{"folders", std::move(folders)}}) + "\n"));
    const bool good = std::ranges::all_of(
        checked, [](const CheckedFolder& one) { return one.report.broken.size() == one.report.removed; });
    return good ? Exit::fine : Exit::refusal;
}

Result<Exit> run_stats(Words words, Console& console) {
    CommandLine line("cache stats", "FOLDER... [--check] [--json]",
                     "Tells how much is in caches: records, objects, bytes.",
                     "  fardel cache stats ~/.cache/fardel\n"
                     "  fardel cache stats --check ~/.cache/fardel      # reads every byte\n");
    CheckCommand command{.folders = {}, .read = false};
    line.texts("FOLDER", "FOLDER", command.folders, "Folders of caches")->required();
    line.flag("--check", command.read, "Also read everything, and tell what is broken");
    line.flag("--json", command.json, "Report as JSON");
    if (const auto over = line.parse(words, console))
        return *over;
    return check(command, console);
}

Result<Exit> run_cache_verify(Words words, Console& console) {
    CommandLine line("cache verify", "FOLDER... [--remove] [--json]",
                     "Reads every byte of caches and tells which records and objects are broken.",
                     "  fardel cache verify ~/.cache/fardel\n"
                     "  fardel cache verify ~/.cache/fardel --remove\n");
    CheckCommand command;
    line.texts("FOLDER", "FOLDER", command.folders, "Folders of caches")->required();
    line.flag("--remove", command.remove, "Remove what is broken; it is made again when it is needed");
    line.flag("--json", command.json, "Report as JSON");
    if (const auto over = line.parse(words, console))
        return *over;
    return check(command, console);
}

// ---- Trimming -------------------------------------------------------------------------------------------------------

// "20G": powers of 1000. Nothing: no size.
std::optional<std::uint64_t> parse_size(std::string_view text) {
    constexpr std::string_view kUnits = "KMGT";
    std::uint64_t factor = 1;
    if (!text.empty()) {
        const auto unit = kUnits.find(text.back() >= 'a' ? static_cast<char>(text.back() - 'a' + 'A') : text.back());
        if (unit != kUnits.npos) {
            text.remove_suffix(1);
            for (std::size_t i = 0; i <= unit; ++i)
                factor *= 1000;
        }
    }
    std::uint64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || failure != std::errc() || end != text.data() + text.size() ||
        number > std::numeric_limits<std::uint64_t>::max() / factor)
        return std::nullopt;
    return number * factor;
}

Json json_of(const std::string& folder, const CacheTrimmed& trimmed) {
    return Json{{"folder", folder},
                {"files_seen", trimmed.files_seen},
                {"files_removed", trimmed.files_removed},
                {"bytes_removed", trimmed.bytes_removed},
                {"bytes_left", trimmed.bytes_left}};
}

Result<Exit> run_trim(Words words, Console& console) {
    CommandLine line("cache trim", "FOLDER... [--size SIZE] [--unused DAYS] [--rate FILES] [--json]",
                     "Removes from caches what has not been used for long, and then the least recently used until the "
                     "rest fits. What was used within the hour stays.",
                     "  fardel cache trim ~/.cache/fardel --size 20G\n"
                     "  fardel cache trim ~/.cache/fardel --unused 14 --size 1T\n");
    std::vector<std::string> folders;
    std::string size;
    CacheTrim trim;
    std::uint64_t days = 30;
    std::uint64_t rate = trim.removals_per_second_max;
    bool json = false;
    line.texts("FOLDER", "FOLDER", folders, "Folders of caches")->required();
    line.text("--size", "SIZE", size, "How much may stay, in bytes, or with K, M, G or T behind; 20 GiB when left out");
    line.number("--unused", days, 0, 36'500, "What was not used for so many days goes; 30 when left out");
    line.number("--rate", rate, 1, 1'000'000, "Files removed in a second, at most; 2000 when left out");
    line.flag("--json", json, "Report as JSON");
    if (const auto over = line.parse(words, console))
        return *over;
    if (!size.empty()) {
        const auto bytes = parse_size(size);
        if (!bytes)
            return line.mistake(fmt::format("--size: '{}' is no size, such as 500M or 20G", size), console);
        trim.bytes_max = *bytes;
    }
    trim.unused_for = std::chrono::hours(24 * days);
    trim.removals_per_second_max = static_cast<std::uint32_t>(rate);

    const Interrupt interrupt;
    Json report = Json::array();
    for (const std::string& folder : folders) {
        FARDEL_TRY_ASSIGN(const CacheTrimmed trimmed, trim_cache_folder(folder, trim, interrupt.token()));
        report.push_back(json_of(folder, trimmed));
        if (!json)
            FARDEL_TRY(console.write(fmt::format("{}: removed {} of {}, {}; {} left\n", printable(folder),
                                                 format_count(trimmed.files_removed),
                                                 format_count(trimmed.files_seen, "file", "files"),
                                                 format_size(trimmed.bytes_removed), format_size(trimmed.bytes_left))));
    }
    if (json)
        FARDEL_TRY(console.write(format_json(Json{{"folders", std::move(report)}}) + "\n"));
    return Exit::fine;
}

// ---- Making them ----------------------------------------------------------------------------------------------------

Result<Exit> run_cache_init(Words words, Console& console) {
    CommandLine line(
        "cache init", "FOLDER",
        "Makes an empty cache: a folder with CACHEDIR.TAG in it. One that is there already stays as it is.",
        "  fardel cache init /srv/fardel/cache\n");
    std::string folder;
    line.text("FOLDER", "FOLDER", folder, "The folder to make; an empty one will do")->required();
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const auto layer, open_folder_layer(folder));
    FARDEL_TRY(console.write(fmt::format("{} is a cache\n", printable(folder))));
    return Exit::fine;
}

Result<Exit> run_export(Words words, Console& console) {
    CommandLine line("cache export", "FOLDER -o OUT [--json]",
                     "Writes all that is whole in a cache to a bundle, which is read as a layer of its own.",
                     "  fardel cache export ~/.cache/fardel -o farm.fardel\n");
    std::string folder;
    std::string out;
    bool json = false;
    line.text("FOLDER", "FOLDER", folder, "The cache's folder")->required();
    line.text("-o,--output", "OUT", out, "The bundle to write; replaces an older one in one step")->required();
    line.flag("--json", json, "Report as JSON");
    if (const auto over = line.parse(words, console))
        return *over;
    FARDEL_TRY_ASSIGN(const CacheExport written, export_cache_bundle(folder, out));
    if (json)
        FARDEL_TRY(console.write(format_json(Json{{"file", out},
                                                  {"records", written.records},
                                                  {"objects", written.objects},
                                                  {"broken", written.broken}}) +
                                 "\n"));
    else
        FARDEL_TRY(console.write(fmt::format(
            "wrote {}: {}, {}{}\n", printable(out), format_count(written.records, "record", "records"),
            format_count(written.objects, "object", "objects"),
            written.broken != 0 ? fmt::format("; left out {}", format_count(written.broken, "record that is not whole",
                                                                            "records that are not whole"))
                                : "")));
    return Exit::fine;
}

constexpr std::string_view kCacheUsage =
    "Looks after caches of derived data: what jobs of the packer made, found again under the key of what they were "
    "made of.\n\n"
    "Usage: fardel cache init FOLDER\n"
    "       fardel cache stats FOLDER... [--check] [--json]\n"
    "       fardel cache trim FOLDER... [--size SIZE] [--unused DAYS] [--rate FILES] [--json]\n"
    "       fardel cache verify FOLDER... [--remove] [--json]\n"
    "       fardel cache export FOLDER -o OUT [--json]\n\n"
    "Examples:\n"
    "  fardel cache stats ~/.cache/fardel\n"
    "  fardel cache trim ~/.cache/fardel --size 20G\n\n"
    "'fardel cache trim --help' tells more. More: man fardel-cache\n";

struct Step {
    std::string_view name;
    Result<Exit> (*run)(Words words, Console& console);
};
constexpr Step kSteps[] = {{"init", run_cache_init},
                           {"stats", run_stats},
                           {"trim", run_trim},
                           {"verify", run_cache_verify},
                           {"export", run_export}};

}  // namespace

Result<Exit> run_cache(Words words, Console& console) {
    const std::string_view verb = words.empty() ? "" : std::string_view(words[0]);
    if (const auto step = std::ranges::find(kSteps, verb, &Step::name); step != std::ranges::end(kSteps))
        return step->run(words.subspan(1), console);
    if (verb == "--help" || verb == "-h") {
        FARDEL_TRY(console.write(kCacheUsage));
        return Exit::fine;
    }
    console.say(
        verb.empty()
            ? "fardel: cache: init, stats, trim, verify or export? see 'fardel cache --help'"
            : fmt::format("fardel: cache: '{}' is not init, stats, trim, verify or export; see 'fardel cache --help'",
                          verb));
    return Exit::usage;
}

}  // namespace fardel
