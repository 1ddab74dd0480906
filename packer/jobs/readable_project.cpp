#include <fardel/packer/readable_project.h>

#include "readable_files.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/path_text.h>
#include <fardel/format/printable.h>
#include <fardel/sources/secret_files.h>

#include <algorithm>
#include <span>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kReadableRulesMax = 1u << 16;
constexpr unsigned kProjectDepthMax = 256;  // nothing deeper is readable

// Returns the first bytes of a small regular file; nothing otherwise.
std::string start_of(const FileLocation& location) {
    const auto file = open_file(location, {}, {.links = Links::refused, .keeps_used_time = true});
    if (!file)
        return {};
    std::string start(kSecretStartBytes, '\0');
    const auto count = read_whole_at(*file, 0, std::as_writable_bytes(std::span(start)), {});
    start.resize(count ? *count : 0);
    return start;
}

class ProjectWalk {
public:
    ProjectWalk(std::vector<std::string> skipped, const std::vector<std::string>& secret_files)
        : skipped_(std::move(skipped)) {
        for (const std::string& path : secret_files)
            if (auto status = find_file_status(path, {}); status && *status)
                secret_.push_back(**status);
    }

    // Returns whether everything in the folder may be read. If not, adds what may be.
    bool walk(const Descriptor& folder, const std::string& path, unsigned depth) {
        const auto names = list_names(folder, {});
        if (!names)
            return true;  // nothing below is readable for the job either
        std::vector<std::string> harmless;
        bool all_harmless = depth < kProjectDepthMax;
        for (const std::string& name : *names) {
            const auto status = find_file_status({folder, name}, {}, Links::refused);
            if (!status || !*status)
                continue;
            std::string below = path == "/" ? path + name : path + "/" + name;
            if (!is_harmless(folder, name, below, **status, depth))
                all_harmless = false;
            else if ((*status)->is_file() || (*status)->is_folder())  // the target of a link needs a rule of its own
                harmless.push_back(std::move(below));
        }
        if (all_harmless)
            return true;
        found_.listable.push_back(path);
        if (depth < kProjectDepthMax)
            std::ranges::move(harmless, std::back_inserter(found_.readable));
        return false;
    }

    Result<ReadableProject::Found> finish(const std::string& folder, bool all_harmless) {
        if (all_harmless)
            found_.readable.push_back(folder);
        if (found_.readable.size() + found_.listable.size() > kReadableRulesMax)
            return Error(ErrorCode::limit, printable(folder) + ": more than " + std::to_string(kReadableRulesMax) +
                                               " files lie beside secret keys; move the keys to a folder of their own");
        return std::move(found_);
    }

private:
    bool is_harmless(const Descriptor& folder, const std::string& name, const std::string& path,
                     const FileStatus& status, unsigned depth) {
        if (std::ranges::find(skipped_, path) != skipped_.end() ||
            std::ranges::any_of(secret_, [&](const FileStatus& one) { return one.same_file_as(status); }))
            return false;
        if (status.is_folder()) {
            if (depth == kProjectDepthMax)
                return false;
            const auto below = open_folder({folder, name}, {}, {.links = Links::refused});
            return !below || walk(*below, path, depth + 1);
        }
        return !status.is_file() || (!has_secret_name(name) && (status.size_bytes > kSecretFileBytesMax ||
                                                                !looks_like_secret_key(start_of({folder, name}))));
    }

    std::vector<std::string> skipped_;
    std::vector<FileStatus> secret_;
    ReadableProject::Found found_;
};

}  // namespace

Status verify_no_secret_key(const std::string& path) {
    const auto status = find_file_status(path, {});
    if (!status || !*status || !(*status)->is_file())
        return ok();
    const auto real = real_path(path, {});
    if (!real)
        return ok();
    if (has_secret_name(*real))
        return Error(ErrorCode::denied, in_quotes(path) + " is secret by its name; no job may read it");
    if ((*status)->size_bytes > kSecretFileBytesMax || !looks_like_secret_key(start_of(*real)))
        return ok();
    return Error(ErrorCode::denied, in_quotes(path) + " is a secret key; no job may read it");
}

ReadableProject::ReadableProject(std::string folder, std::string scratch, std::vector<std::string> secret_files)
    : folder_(std::move(folder)), scratch_(std::move(scratch)), secret_files_(std::move(secret_files)) {}

Result<const ReadableProject::Found*> ReadableProject::find() {
    const std::lock_guard lock(lock_);
    if (!found_) {
        // The scratch folder is usually in the folder of builds, which also has the results of other jobs.
        std::vector<std::string> skipped = {scratch_};
        if (const std::string builds = folder_of_path(scratch_); !is_at_or_below_path(builds, folder_))
            skipped.push_back(builds);
        ProjectWalk walk(std::move(skipped), secret_files_);
        const auto folder = open_folder(folder_, folder_);
        found_.emplace(folder ? walk.finish(folder_, walk.walk(*folder, folder_, 0)) : folder.error());
    }
    if (!*found_)
        return found_->error();
    return &**found_;
}

Status ReadableProject::verify_not_secret(const std::string& path) const {
    FARDEL_TRY_ASSIGN(const auto status, find_file_status(path, in_quotes(path)));
    for (const std::string& secret : secret_files_)
        if (const auto one = find_file_status(secret, {}); status && one && *one && (*one)->same_file_as(*status))
            return Error(ErrorCode::denied, in_quotes(path) + " is secret; no job may read it");
    return verify_no_secret_key(path);
}

}  // namespace fardel
