// fardel init: writes a commented fardel.toml to start from; never overwrites one.

#include "console/json.h"
#include "verbs.h"

#include <fardel/format/name.h>
#include <fardel/packer/project.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

namespace fs = std::filesystem;

namespace fardel {
namespace {

Error failed(const std::string& path, int number) {
    const ErrorCode code = number == EACCES || number == EPERM || number == EROFS ? ErrorCode::denied
                           : number == ENOSPC || number == EDQUOT                 ? ErrorCode::no_space
                                                                                  : ErrorCode::io;
    return Error(code, path + ": " + std::strerror(number));
}

Status make_folder(const fs::path& path) {
    std::error_code failure;
    fs::create_directories(path, failure);
    return failure ? Status(failed(path.string(), failure.value())) : ok();
}

Status write_new_file(const std::string& path, std::string_view text) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wx"), std::fclose);
    if (!file)
        return errno == EEXIST
                   ? Error(ErrorCode::conflict,
                           path + ": already exists and is not overwritten; edit it, or choose another folder")
                   : failed(path, errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
    if (std::fclose(file.release()) == 0 && written)
        return ok();
    const int number = errno;
    std::remove(path.c_str());
    return failed(path, number);
}

// The real name of the folder, whatever path leads to it.
std::string name_of_folder(const std::string& folder) {
    std::error_code failure;
    const fs::path location = fs::weakly_canonical(fs::absolute(folder, failure), failure);
    return location.has_filename() ? location.filename().string() : location.parent_path().filename().string();
}

Result<Exit> init(const std::string& folder, const std::string& name, bool json, Console& console) {
    const std::string file = (fs::path(folder) / kProjectFileName).string();
    FARDEL_TRY(make_folder(folder));
    FARDEL_TRY(write_new_file(file, starter_project(name)));
    FARDEL_TRY(make_folder(fs::path(folder) / "assets"));
    FARDEL_TRY(console.write(
        json ? format_json({{"file", file}, {"name", name}}) + "\n"
             : fmt::format("wrote {}\n  name  {}\nPut files into {}, then run 'fardel build {}'.\n", printable(file),
                           name, printable((fs::path(folder) / "assets").string()), printable(folder))));
    return Exit::fine;
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
