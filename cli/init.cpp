// fardel init: writes a commented fardel.toml to start from; never overwrites one.

#include "console/json.h"
#include "verbs.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/name.h>
#include <fardel/packer/project.h>

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string>
#include <system_error>

namespace fs = std::filesystem;

namespace fardel {
namespace {

Status write_new_file(const std::string& path, std::string_view text) {
    auto file = create_file(path, path);
    if (!file && file.error().code() == ErrorCode::conflict)
        return Error(ErrorCode::conflict,
                     path + ": already exists and is not overwritten; edit it, or choose another folder");
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
    std::error_code failure;
    const fs::path location = fs::weakly_canonical(fs::absolute(folder, failure), failure);
    return location.has_filename() ? location.filename().string() : location.parent_path().filename().string();
}

Result<Exit> init(const std::string& folder, const std::string& name, bool json, Console& console) {
    const std::string file = (fs::path(folder) / kProjectFileName).string();
    FARDEL_TRY(create_folders(folder));
    FARDEL_TRY(write_new_file(file, starter_project(name)));
    FARDEL_TRY(create_folders((fs::path(folder) / "assets").string()));
    return print_result(
        console, json,
        [&] {
            return Json{{"file", file}, {"name", name}};
        },
        [&] {
            return fmt::format("wrote {}\n  name  {}\nPut files into {}, then run 'fardel build {}'.\n",
                               printable(file), name, printable((fs::path(folder) / "assets").string()),
                               printable(folder));
        });
}

}  // namespace

Result<Exit> run_init(Words words, Console& console) {
    CommandLine line(
        "init", "[DIR] [options]",
        "Writes DIR/fardel.toml, a commented project file to start from, and creates the folder DIR/assets. "
        "Never overwrites a file.",
        "  fardel init\n"
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
