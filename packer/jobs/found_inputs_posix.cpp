#include "found_inputs.h"

#include "job_code.h"
#include "system_descriptor.h"
#include "text/in_quotes.h"

#include <fardel/format/hash.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project_path.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <span>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fardel {
namespace {

#ifdef __APPLE__
FileTime changed_at(const struct stat& entry) { return {entry.st_ctimespec.tv_sec, entry.st_ctimespec.tv_nsec}; }
#else
FileTime changed_at(const struct stat& entry) { return {entry.st_ctim.tv_sec, entry.st_ctim.tv_nsec}; }
#endif

struct Look {
    std::optional<AssetId> asset;  // nothing: not there
    FileTime changed;
};

Result<Look> look_at(const std::string& path) {
    const SystemDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file && (errno == ENOENT || errno == ENOTDIR))
        return Look{};
    struct stat before {};
    if (!file || ::fstat(file.get(), &before) != 0)
        return system_failure(errno, in_quotes(path));
    if (!S_ISREG(before.st_mode))
        return Error(ErrorCode::malformed, in_quotes(path) + ", which it says it read, is no file");
    std::vector<std::byte> piece(256u << 10);
    Hasher hasher;
    ssize_t count;
    while ((count = ::read(file.get(), piece.data(), piece.size())) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return system_failure(errno, in_quotes(path));
        hasher.update(std::span(piece).first(static_cast<std::size_t>(count)));
    }
    struct stat after {};
    if (::fstat(file.get(), &after) != 0)
        return system_failure(errno, in_quotes(path));
    return Look{.asset = id_from<AssetId>(hasher.finish()), .changed = changed_at(after)};
}

bool is_below(std::string_view path, std::string_view folder) {
    return path.starts_with(folder) &&
           (folder.ends_with('/') || (path.size() > folder.size() && path[folder.size()] == '/'));
}

// As FoundInput has it; nothing: the job's own.
std::optional<std::string> place_of(const std::string& path, const JobFolder& folder,
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
    const SystemDescriptor file(::open(folder.path_of("tmp").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!file)
        return system_failure(errno, in_quotes(folder.path()));
    const auto tick = [&]() -> Result<FileTime> {
        struct stat entry {};
        if (::fchmod(file.get(), 0755) != 0 || ::fstat(file.get(), &entry) != 0)
            return system_failure(errno, in_quotes(folder.path()));
        return changed_at(entry);
    };
    FARDEL_TRY_ASSIGN(const FileTime first, tick());
    for (int round = 0; round < 3000;
         ++round) {  // a tick has some milliseconds, and a second or two on old file systems
        FARDEL_TRY_ASSIGN(const FileTime now, tick());
        if (now > first)
            return now;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Error(ErrorCode::io, in_quotes(folder.path()) + ": time stands still there");
}

Result<std::vector<FoundInput>> look_at_inputs(const std::vector<std::string>& read,
                                               const std::vector<std::string>& missing, const JobFolder& folder,
                                               FileTime begin, const std::string& project_folder) {
    std::vector<FoundInput> found;
    for (const auto* const paths : {&read, &missing}) {
        for (const std::string& path : *paths) {
            if (path.empty() || path.find('\0') != std::string::npos)
                return Error(ErrorCode::malformed, "an empty path, or one with a NUL character, among what it read");
            const std::optional<std::string> place = place_of(path, folder, project_folder);
            if (!place || std::ranges::find(found, *place, &FoundInput::path) != found.end())
                continue;
            FARDEL_TRY_ASSIGN(const Look look, look_at(path_in_project(project_folder, *place)));
            if (look.asset && (paths == &missing || look.changed >= begin))
                return Error(
                    ErrorCode::conflict,
                    in_quotes(*place) + (paths == &missing ? " was not there for the job, and is now; build again"
                                                           : " was edited while the job ran; build again"));
            found.push_back({.path = *place, .asset = look.asset});
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
