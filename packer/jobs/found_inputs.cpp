#include "found_inputs.h"

#include "job_code.h"
#include "readable_files.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/hash.h>
#include <fardel/format/printable.h>
#include <fardel/packer/job_run.h>
#include <fardel/packer/project_path.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <thread>

namespace fardel {
namespace {

constexpr std::size_t kRecordedPathBytesMax = 4096;

struct Look {
    std::optional<AssetId> asset;  // nothing: absent
    FileTime changed = 0;
};

Error of_kernel(const std::string& shown) {
    return Error(ErrorCode::malformed, shown + " is not stored anywhere: the kernel makes it up");
}

// Hashes the file to the end that its status states. A file that goes on behind it may never end.
Result<Look> hash_file(const RegularFile& file, const std::string& shown) {
    std::vector<std::byte> piece(256u << 10);
    Hasher hasher;
    for (std::uint64_t read = 0;;) {
        FARDEL_TRY_ASSIGN(const std::size_t count, read_some(file.descriptor, piece, shown));
        if (count == 0)
            break;
        read += count;
        if (read > file.status.size_bytes)
            return Error(ErrorCode::conflict, shown + " has more bytes than its size states; was it edited?");
        hasher.update(std::span(piece).first(count));
    }
    FARDEL_TRY_ASSIGN(const FileStatus after, file_status(file.descriptor, shown));
    return Look{.asset = id_from<AssetId>(hasher.finish()), .changed = after.changed_ns};
}

// `path`: absolute. Neither waits for a FIFO nor touches a device.
Result<Look> look_at(const std::string& path) {
    const std::string shown = in_quotes(path);
    const auto real = real_path(path, shown);
    if (!real && real.error().code() == ErrorCode::missing)
        return Look{};
    if (!real)
        return real.error();
    // Files of /proc and /sys have other bytes at each reading, and some of them wait or act when they are opened.
    if (is_of_kernel(*real))
        return of_kernel(shown);
    FARDEL_TRY_ASSIGN(const auto status, find_file_status(*real, shown));
    if (!status)
        return Look{};
    if (!status->is_file())
        return Error(ErrorCode::malformed,
                     shown + ", which it reports to have read, is " + std::string(file_kind_text(status->kind)));
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(*real, shown, {.links = Links::refused}));
    return hash_file(file, shown);
}

// Returns the path as FoundInput stores it; nothing for the job's own files.
std::optional<std::string> found_path(const std::string& path, const JobFolder& folder,
                                      const std::string& project_folder) {
    const std::string normal = normal_path(joined_path(folder.path(), path));
    if (is_at_or_below_path(folder.path(), normal))
        return std::nullopt;
    if (normal != project_folder && is_at_or_below_path(project_folder, normal))
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
            // The times of files advance in ticks: whoever edits in the tick of the job's start must be noticed, so
            // equal counts as edited. next_file_time() makes sure that files of before have an earlier tick.
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

// ---- Files that records name ----------------------------------------------------------------------------------------

namespace {

bool is_in(std::string_view path, const std::vector<std::string>& roots) {
    return std::ranges::any_of(roots, [&](const std::string& root) { return is_at_or_below_path(root, path); });
}

// `real`: where the path leads, if it is the reason.
Error forbidden(const std::string& shown, const std::string& real = {}) {
    return Error(ErrorCode::denied, shown + (real.empty() ? " is" : " leads to " + in_quotes(real) + ", which is") +
                                        " neither in the project nor a file that its jobs may read");
}

}  // namespace

Result<RecordedFiles> RecordedFiles::of_own_layer(const std::string& project_folder) {
    FARDEL_TRY_ASSIGN(std::string folder, absolute_folder(project_folder));
    return RecordedFiles(project_folder, std::move(folder));
}

Result<RecordedFiles> RecordedFiles::of_foreign_layer(const Processor& processor, const JobEnvironment& environment) {
    FARDEL_TRY_ASSIGN(RecordedFiles files, of_own_layer(environment.project_folder));
    files.project_ = environment.readable_project;
    FARDEL_TRY_ASSIGN(const ProgramPlace program, find_program(processor, files.project_folder_));
    std::vector<std::string>& roots = files.roots_.emplace(readable_files(processor, program, files.project_folder_));
    std::erase(roots, "/");  // the folder of a program; it is not meant to give away the whole disk
    roots.push_back(files.project_folder_);
    for (const std::string& root : roots)
        if (auto real = real_path(root, root); real && *real != "/")
            files.real_roots_.push_back(*std::move(real));
    return files;
}

Result<RecordedFile> RecordedFiles::look(const std::string& path) {
    if (const auto known = known_.find(path); known != known_.end())
        return known->second;
    return known_.emplace(path, look_again(path)).first->second;
}

Result<RecordedFile> RecordedFiles::look_again(const std::string& path) {
    FARDEL_TRY(judge_text(path));
    if (roots_ && known_.size() >= kForeignPathsMax)
        return Error(ErrorCode::limit, "more than " + std::to_string(kForeignPathsMax) + " paths");
    // The stamp is taken first, so that any later change shows.
    RecordedFile file{.seen = observe_path(path_in_project(given_folder_, path))};
    FARDEL_TRY_ASSIGN(const std::optional<AssetId> asset, hash(path));
    file.input = {.path = path, .asset = asset};
    return file;
}

// Decides from the text alone, so that a path elsewhere is not even looked up.
Status RecordedFiles::judge_text(const std::string& path) const {
    const std::string shown = in_quotes(path);
    if (path.empty() || path.size() > kRecordedPathBytesMax || path.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "a path that is empty, too long or has a NUL character");
    const std::string whole = path_in_project(project_folder_, path);
    // A path with ".." would pass the comparison with the roots and lead elsewhere.
    if (normal_path(whole) != whole)
        return Error(ErrorCode::malformed, shown + " is not a path that a job's record has");
    if (is_of_kernel(whole))
        return of_kernel(shown);
    return roots_ && !is_in(whole, *roots_) ? Status(forbidden(shown)) : ok();
}

// The folder of a missing file must be a permitted one, too: otherwise a link in the project would make known whether
// another file exists.
Status RecordedFiles::judge_missing(const std::string& path) const {
    for (std::string at = path; is_in(at, *roots_); at = folder_of_path(at)) {
        const std::string shown = in_quotes(at);
        if (const auto real = real_path(at, shown))
            return is_in(*real, real_roots_) ? ok() : Status(forbidden(in_quotes(path), *real));
        FARDEL_TRY_ASSIGN(const auto status, find_file_status(at, shown, Links::refused));
        if (status && status->kind == FileKind::link)
            return Error(ErrorCode::denied, shown + " is a link that leads nowhere");
    }
    return ok();  // all of a permitted folder is missing
}

Result<std::optional<AssetId>> RecordedFiles::hash(const std::string& path) {
    const std::string whole = path_in_project(project_folder_, path);
    if (!roots_) {
        FARDEL_TRY_ASSIGN(const Look look, look_at(whole));
        return look.asset;
    }
    const std::string shown = in_quotes(path);
    const auto real = real_path(whole, shown);
    if (!real && real.error().code() != ErrorCode::missing)
        return real.error();
    if (!real) {
        FARDEL_TRY(judge_missing(whole));
        return std::optional<AssetId>();
    }
    if (is_of_kernel(*real))
        return of_kernel(shown);
    // Links are resolved, and their end has to be permitted, too.
    if (!is_in(*real, real_roots_))
        return forbidden(shown, *real);
    FARDEL_TRY_ASSIGN(const auto status, find_file_status(*real, shown));
    if (status && !status->is_file())
        return Error(ErrorCode::malformed, shown + " is " + std::string(file_kind_text(status->kind)) + ", not a file");
    FARDEL_TRY(project_ ? project_->verify_not_secret(*real) : verify_no_secret_key(*real));
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(*real, shown, {.links = Links::refused}));
    // The record is from a cache that others may write: it must not have this program read a disk.
    if (file.status.size_bytes > bytes_left_)
        return Error(ErrorCode::limit, shown + ": the files that the record names have more than " +
                                           std::to_string(kForeignBytesMax) + " bytes");
    bytes_left_ -= file.status.size_bytes;
    FARDEL_TRY_ASSIGN(const Look look, hash_file(file, shown));
    return look.asset;
}

}  // namespace fardel
