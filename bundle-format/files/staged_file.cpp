#include <fardel/base/path_text.h>
#include <fardel/format/staged_descriptor.h>
#include <fardel/format/staged_file.h>

#include <fardel/base/file.h>
#include <fardel/base/folder.h>
#include <fardel/base/program.h>
#include <fardel/base/shared_mode.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <utility>

namespace fardel {
namespace {

constexpr int kNamesTried = 10'000;
constexpr std::uint64_t kSyncedAtOnceBytes = 4u << 20;  // the disk writes while the file still grows

// Returns a path that no other thread or process uses now. The length of its file name does not depend on the target,
// so the longest valid target name works, too.
FilePath temporary_path(const FilePath& folder) {
    static std::atomic<std::uint64_t> number{0};
    return folder / (".fardel-" + std::to_string(process_id()) + "-" + std::to_string(number++) + ".tmp");
}

bool is_temporary(std::string_view name) {
    const auto cut_digits = [&] {
        const auto end = std::min(name.find_first_not_of("0123456789"), name.size());
        name.remove_prefix(end);
        return end > 0;
    };
    const auto cut = [&](std::string_view start) {
        const bool there = name.starts_with(start);
        name.remove_prefix(there ? start.size() : 0);
        return there;
    };
    return cut(".fardel-") && cut_digits() && cut("-") && cut_digits() && name == ".tmp";
}

// Returns false if another process took the new file for an abandoned one.
bool lock_own(const Descriptor& file, const FilePath& path) {
    if (const auto locked = lock_file(file, path); locked && !*locked)
        return false;
    const auto is_there = has_name(file, path, path);
    return !is_there || *is_there;
}

class StagedDiskFile final : public StagedFile {
public:
    StagedDiskFile(Descriptor file, FilePath temporary, FilePath target, ExistingFile existing)
        : file_(std::move(file)), temporary_(std::move(temporary)), target_(std::move(target)), existing_(existing) {}

    ~StagedDiskFile() override {
        file_.close();
        if (!temporary_.empty())
            (void)remove_file(temporary_, temporary_);
    }
    StagedDiskFile(const StagedDiskFile&) = delete;
    StagedDiskFile& operator=(const StagedDiskFile&) = delete;

    Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
        FARDEL_TRY(write_whole_at(file_, offset, bytes, target_));
        waiting_bytes_ += bytes.size();
        // Otherwise commit() would wait for all of the file at once.
        if (waiting_bytes_ >= kSyncedAtOnceBytes) {
            begin_sync(file_);
            waiting_bytes_ = 0;
        }
        return ok();
    }

    Status resize(std::uint64_t size_bytes) override { return resize_file(file_, size_bytes, target_); }

    const Descriptor& descriptor() const noexcept { return file_; }

    Status commit() override {
        FARDEL_TRY(sync_file(file_, target_));
        // The lock lasts until the file has its final name. Without it, another process may remove the file as
        // abandoned.
        const auto lock = file_.duplicate(target_);
        // Over a network, an error of writing may show only when the file is closed.
        FARDEL_TRY(file_.close_reporting(target_));
        FARDEL_TRY(existing_ == ExistingFile::replaced ? rename_own(temporary_, target_)
                                                       : rename_to_new(temporary_, target_, target_));
        temporary_.clear();
        Status status = sync_folder(target_.folder());
        return status ? ok()
                      : std::move(status).error().with_context(
                            "the file has its name, but may not survive a power failure");
    }

private:
    Descriptor file_;
    FilePath temporary_;  // empty once renamed
    const FilePath target_;
    const ExistingFile existing_;
    std::uint64_t waiting_bytes_ = 0;  // for begin_sync()
};

// Refuses, before any work, a target that commit() cannot or should not replace.
Status verify_target(const FilePath& path) {
    const std::string& text = path.text();
    if (file_name_of_path(text).empty() || text.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "\"" + text.substr(0, text.find('\0')) + "\" does not name a file");
    const auto status = file_status(path, path);
    if (!status) {
        const int number = status.error().system_number();
        return number == ENOENT || number == ELOOP ? ok() : status.error();  // absent, or a link to nowhere
    }
    if (!status->is_file())
        return Error(ErrorCode::malformed, text + ": not a regular file; it would not be replaced");
    return ok();
}

}  // namespace

const Descriptor* find_descriptor(const StagedFile& file) {
    const auto* const staged = dynamic_cast<const StagedDiskFile*>(&file);
    return staged == nullptr ? nullptr : &staged->descriptor();
}

// A lock ends with its process, so a temporary file without a lock will never be renamed. On a file system without
// locks, nothing is removed.
void remove_abandoned_files(const FilePath& folder) {
    const auto opened = open_folder(folder, folder);
    if (!opened)
        return;
    const auto names = list_names(*opened, folder);
    if (!names)
        return;
    for (const std::string& name : *names) {
        if (!is_temporary(name))
            continue;
        const auto file =
            open_regular_file({*opened, name}, name, {.access = FileAccess::read_write, .links = Links::refused});
        if (!file)
            continue;
        if (const auto locked = lock_file(file->descriptor, name); locked && *locked)
            (void)remove_file({*opened, name}, name);
    }
}

Result<std::unique_ptr<StagedFile>> stage_file(const FilePath& path, ExistingFile existing) {
    FARDEL_TRY(verify_target(path));
    const FilePath folder = path.folder();
    remove_abandoned_files(folder);
    for (int tried = 0;; ++tried) {
        FilePath temporary = temporary_path(folder);
        auto file = create_file(temporary, path);
        // Between creating and locking it, another process may have removed the file as abandoned; then the next name
        // is tried.
        if (file && lock_own(*file, temporary)) {
            share_new_file(*file, temporary);
            return std::unique_ptr<StagedFile>(
                new StagedDiskFile(*std::move(file), std::move(temporary), path, existing));
        }
        if (file)
            (void)remove_file(temporary, path);
        // A killed process that had the same process id may have left files behind.
        else if (file.error().code() == ErrorCode::missing)
            return Error(ErrorCode::missing, path.text() + ": there is no folder " + folder.text(), ENOENT);
        else if (file.error().code() != ErrorCode::conflict)
            return std::move(file).error();
        if (tried == kNamesTried)
            return Error(ErrorCode::io, path.text() + ": no name beside it is free for a temporary file");
    }
}

Status append_to_file(const std::string& path, std::uint64_t expected_bytes, std::span<const std::byte> bytes) {
    auto opened = open_regular_file(path, path, {.access = FileAccess::read_write});
    if (!opened)
        return opened.error().system_number() == EISDIR ? Error(ErrorCode::malformed, path + ": not a regular file")
                                                        : std::move(opened).error();
    const Descriptor& file = opened->descriptor;
    FARDEL_TRY_ASSIGN(const bool locked, lock_file(file, path));
    if (!locked)
        return Error(ErrorCode::busy, path + ": another program is appending to it; try again");

    // Under the lock: checks that the path still names the open file, and that its length is the expected one.
    FARDEL_TRY_ASSIGN(const FileStatus open_status, file_status(file, path));
    FARDEL_TRY_ASSIGN(const FileStatus named_status, file_status(path, path));
    if (!open_status.same_file_as(named_status))
        return Error(ErrorCode::conflict, path + ": was replaced just now; read it again");
    if (open_status.size_bytes != expected_bytes)
        return Error(ErrorCode::conflict, path + ": has " + std::to_string(open_status.size_bytes) +
                                              " bytes, expected " + std::to_string(expected_bytes) + "; read it again");

    Status status = write_whole_at(file, expected_bytes, bytes, path);
    if (status)
        status = sync_file(file, path);
    if (!status) {
        // A half-appended signature would make the trailer unreadable.
        const Status restored = resize_file(file, expected_bytes, path);
        if (!restored)
            return std::move(status).error().with_context("cut it back to " + std::to_string(expected_bytes) +
                                                          " bytes: that failed too");
    }
    return status;
}

}  // namespace fardel
