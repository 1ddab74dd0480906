// fardel init: writes a commented fardel.toml to start from, for the content that is there; never overwrites one.

#include "build/recognised_game.h"
#include "console/figures.h"
#include "console/json.h"
#include "console/output_file.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/name.h>
#include <fardel/packer/project.h>
#include <fardel/packer/project_build.h>
#include <fardel/sources/legacy_archives.h>
#include <fardel/sources/secret_files.h>
#include <fardel/sources/source_scan.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

namespace fardel {
namespace {

constexpr std::string_view kAssets = "assets";
constexpr std::string_view kExists = "already exists and is not overwritten; edit it, or choose another folder";

Status write_new_file(const std::string& path, std::string_view text) {
    auto file = create_file(path, path);
    if (!file && file.error().code() == ErrorCode::conflict)
        return Error(ErrorCode::conflict, path + ": " + std::string(kExists));
    if (!file)
        return std::move(file).error();
    Status written = write_whole(*file, std::as_bytes(std::span(text)), path);
    if (written)
        written = file->close_reporting(path);
    if (!written)
        static_cast<void>(remove_file(path, path));
    return written;
}

// The real name of the folder, whatever path leads to it.
std::string name_of_folder(const std::string& folder) {
    const auto location = canonical_path(folder);
    return std::string(file_name_of_path(location ? *location : folder));
}

struct Content {
    StarterContent starter;
    std::size_t files = 0;
    std::size_t lost = 0;  // files that nobody meant to leave out
    std::optional<RecognisedGame> game;
};

// A folder for the bundle, which is in the source and left out of it.
std::string output_folder(const std::vector<std::string>& names) {
    return std::ranges::find(names, "build") == names.end() ? "build" : "fardel-build";
}

// The archives of a folder, and then what lies there unpacked, as games search them: the last one wins.
Result<StarterContent> sources_in(const std::string& folder, const std::string& name) {
    StarterContent starter;
    FARDEL_TRY_ASSIGN(const std::vector<std::string> names, list_names_at(folder));
    if (const auto assets = list_names_at(joined_path(folder, kAssets)); assets && !assets->empty())
        return starter;
    bool has_more = false;
    std::vector<std::string> archives;
    for (const std::string& each : names) {
        if (each.starts_with('.') || !verify_name(each))
            continue;
        const std::string path = joined_path(folder, each);
        const auto kind = find_source_kind(path);  // what may not be read is for the scan to say
        if (kind && *kind == SourceKind::archive)
            archives.push_back(each);
        else
            has_more = has_more || !kind || *kind != SourceKind::bundle;
    }
    if (archives.empty() && !has_more)
        return starter;
    const std::string built = output_folder(names);
    starter.sources = archives;
    if (has_more)
        starter.sources.push_back(".");
    // What Fardel itself writes here, and archives, whose files are in the bundle.
    starter.excludes.insert(starter.excludes.end(), {built + "/**", std::string(kProjectFileName), "fardel.lock", ".*",
                                                     "*.fardel", "*.key", "*.key.pub"});
    starter.excludes.insert(starter.excludes.end(), archives.begin(), archives.end());
    starter.output = built + "/" + name.substr(name.rfind('/') + 1) + ".fardel";
    return starter;
}

Result<Content> content_of(const std::string& folder, const std::string& name) {
    Content content;
    FARDEL_TRY_ASSIGN(content.starter, sources_in(folder, name));
    std::vector<std::string> paths;
    for (const std::string& source : content.starter.sources)
        paths.push_back(joined_path(folder, source));
    if (!file_exists(paths.front()))
        return content;  // no assets yet
    ScanOptions options{.excludes = usual_excludes()};
    options.excludes.insert(options.excludes.end(), content.starter.excludes.begin(), content.starter.excludes.end());
    options.excludes.push_back("**/" + std::string(kBuildFolder) + "/**");
    const auto archives = make_archive_reader();
    FARDEL_TRY_ASSIGN(const ScanResult scan, scan_sources(paths, options, archives.get()));
    std::vector<std::string> names = content.starter.sources;
    std::vector<std::string> secrets;
    for (const SourceEntry& entry : scan.entries)
        (has_secret_name(entry.name.view()) ? secrets : names).emplace_back(entry.name.view());
    if (names.size() == content.starter.sources.size())
        return Content();
    content.files = names.size() - content.starter.sources.size();
    content.lost = count_lost(scan.report) + secrets.size();
    // A build refuses them, until somebody says whether they are meant.
    content.starter.excludes.insert(content.starter.excludes.end(), secrets.begin(), secrets.end());
    content.game = recognise_game(names);
    if (content.game) {
        content.starter.profile = content.game->profile;
        content.starter.why = fmt::format("{}", fmt::join(content.game->signs, ", "));
    }
    return content;
}

std::string text_of(const Content& content, const std::string& folder, const std::string& file,
                    const std::string& name) {
    std::string text = fmt::format("wrote {}\n", printable(file));
    if (content.files == 0)
        return text + fmt::format("  name  {}\nPut files into {}, then run 'fardel build {}'.\n", name,
                                  printable(joined_path(folder, kAssets)), printable(folder));
    text += fmt::format("  name     {}\n  sources  {}: {}\n", name, fmt::join(content.starter.sources, ", "),
                        format_count(content.files, "file", "files"));
    text += content.game ? fmt::format("  profile  {}, as here is {}\n", content.starter.profile, content.starter.why)
                         : "  profile  none, as no file here is of a game that Fardel knows\n";
    if (content.lost != 0)
        text += fmt::format("  left out {}; 'fardel build' says why\n", format_count(content.lost, "file", "files"));
    return text + fmt::format("Run 'fardel build {}'.\n", printable(folder));
}

Result<Exit> init(const std::string& folder, const std::string& name, bool json, Console& console) {
    const std::string file = joined_path(folder, kProjectFileName);
    FARDEL_TRY(verify_new_file(file, kExists));
    FARDEL_TRY(create_folders(folder));
    FARDEL_TRY_ASSIGN(const Content content, content_of(folder, name));
    FARDEL_TRY(write_new_file(file, starter_project(name, content.starter)));
    if (content.files == 0)
        FARDEL_TRY(create_folders(joined_path(folder, kAssets)));
    return print_result(
        console, json,
        [&] {
            return Json{{"file", file},
                        {"name", name},
                        {"sources", content.starter.sources},
                        {"files", content.files},
                        {"left_out", content.lost},
                        {"profile", content.game ? Json(content.game->profile) : Json()},
                        {"recognised_by", content.game ? content.game->signs : std::vector<std::string>()}};
        },
        [&] { return text_of(content, folder, file, name); });
}

}  // namespace

Result<Exit> run_init(Words words, Console& console) {
    CommandLine line(
        "init", "[DIR] [options]",
        "Writes DIR/fardel.toml, a commented project file to start from. Content that is in DIR already becomes its "
        "source, and the game that it is of is recognised; an empty DIR gets the folder DIR/assets. Never overwrites "
        "a file.",
        "  fardel init\n"
        "  fardel init castle              # a folder with maps, textures, scripts or .pk3 files\n"
        "  fardel init mygame --name studio/mygame\n");
    std::string folder = ".";
    std::string name;
    bool json = false;
    line.text("DIR", "DIR", folder, "The folder; created if it is missing (default: the current folder)");
    line.text("--name", "NAME", name, "The name of the bundle (default: the name of the folder)");
    line.json(json);
    if (const auto over = line.parse(words, console))
        return *over;
    if (name.empty())
        name = name_of_folder(folder);
    if (!verify_name(name))
        return line.mistake(fmt::format("'{}' is not a valid bundle name; choose one with --name", name), console);
    return init(folder, name, json, console);
}

}  // namespace fardel
