#include "found_inputs.h"

#include "job_code.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/format/hash.h>
#include <fardel/format/printable.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project_path.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <span>
#include <string_view>
#include <thread>

namespace fardel {
namespace {

struct Look {
    std::optional<AssetId> asset;  // nothing: absent
    FileTime changed = 0;
};

Result<Look> look_at(const std::string& path) {
    const std::string shown = in_quotes(path);
    const auto file = open_file(path, shown);
    if (!file && file.error().code() == ErrorCode::missing)
        return Look{};
    if (!file)
        return file.error();
    FARDEL_TRY_ASSIGN(const FileStatus before, file_status(*file, shown));
    if (!before.is_file())
        return Error(ErrorCode::malformed, shown + ", which it reports to have read, is not a file");
    std::vector<std::byte> piece(256u << 10);
    Hasher hasher;
    for (;;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(*file, piece, shown));
        if (count == 0)
            break;
        hasher.update(std::span(piece).first(count));
    }
    FARDEL_TRY_ASSIGN(const FileStatus after, file_status(*file, shown));
    return Look{.asset = id_from<AssetId>(hasher.finish()), .changed = after.changed_ns};
}

bool is_below(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) &&
           (folder.ends_with('/') || (path.size() > folder.size() && path[folder.size()] == '/'));
}

// Returns the path as FoundInput stores it; nothing for the job's own files.
std::optional<std::string> found_path(const std::string& path, const JobFolder& folder,
                                      const std::string& project_folder) {
    const std::string normal = (std::filesystem::path(folder.path()) / path).lexically_normal().string();
    if (normal == folder.path() || is_below(normal, folder.path()))
        return std::nullopt;
    if (is_below(normal, project_folder))
        return normal.substr(project_folder.size() + (project_folder.ends_with('/') ? 0 : 1));
    return normal;
}

}  // namespace

Result<FileTime> next_file_time(const JobFolder& folder) {
    const std::string shown = in_quotes(folder.path());
    FARDEL_TRY_ASSIGN(const Descriptor file, open_folder(folder.path_of("tmp"), shown));
    const auto tick = [&]() -> Result<FileTime> {
        FARDEL_TRY(set_permissions(file, 0755, shown));
        FARDEL_TRY_ASSIGN(const FileStatus status, file_status(file, shown));
        return status.changed_ns;
    };
    FARDEL_TRY_ASSIGN(const FileTime first, tick());
    for (int round = 0; round < 3000; ++round) {  // a tick lasts some milliseconds; on old file systems a second or two
        FARDEL_TRY_ASSIGN(const FileTime now, tick());
        if (now > first)
            return now;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Error(ErrorCode::io, shown + ": its file system's time does not advance");
}

Result<std::vector<FoundInput>> look_at_inputs(const std::vector<std::string>& read,
                                               const std::vector<std::string>& missing, const JobFolder& folder,
                                               FileTime begin, const std::string& project_folder) {
    std::vector<FoundInput> found;
    for (const auto* const paths : {&read, &missing}) {
        for (const std::string& path : *paths) {
            if (path.empty() || path.find('\0') != std::string::npos)
                return Error(ErrorCode::malformed, "an empty path, or one with a NUL character, among what it read");
            const std::optional<std::string> found_at = found_path(path, folder, project_folder);
            if (!found_at || std::ranges::find(found, *found_at, &FoundInput::path) != found.end())
                continue;
            FARDEL_TRY_ASSIGN(const Look look, look_at(path_in_project(project_folder, *found_at)));
            if (look.asset && (paths == &missing || look.changed >= begin))
                return Error(
                    ErrorCode::conflict,
                    in_quotes(*found_at) + (paths == &missing ? " was not there for the job, and is now; build again"
                                                              : " was edited while the job ran; build again"));
            found.push_back({.path = *found_at, .asset = look.asset});
        }
    }
    std::ranges::sort(found, {}, &FoundInput::path);
    return found;
}

Result<FoundInput> look_for_input(const std::string& path, const std::string& project_folder) {
    FARDEL_TRY_ASSIGN(const std::string folder, absolute_folder(project_folder));
    FARDEL_TRY_ASSIGN(const Look look, look_at(path_in_project(folder, path)));
    return FoundInput{.path = path, .asset = look.asset};
}

}  // namespace fardel
