#include <fardel/base/file_lock.h>

#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr auto kLockWaitMax = std::chrono::seconds(30);
constexpr int kOpeningsTried = 100;
constexpr int kDeniedTried = 3;
constexpr auto kLockPause = std::chrono::milliseconds(2);

struct LockedFile final : DiskHold {
    explicit LockedFile(Descriptor locked) : file(std::move(locked)) {}
    ~LockedFile() override { unlock_file(file); }
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;
    Descriptor file;
};

// The umask would take the group's permissions from a file that somebody else's program has to lock.
Result<Descriptor> create_with_mode(const FilePath& path, std::uint32_t mode) {
    auto created = create_file(path, path, mode);
    if (created)
        static_cast<void>(set_permissions(*created, mode, path));
    return created;
}

// Whoever may open a file may hold its lock for ever, also for reading. So those who may not write into the folder may
// not open it.
Result<std::uint32_t> mode_for_writers(const FilePath& path) {
    constexpr std::uint32_t kOwner = 0600;
    constexpr std::uint32_t kWrite = 0222;
    const FilePath folder = path.folder();
    FARDEL_TRY_ASSIGN(const FileStatus status, file_status(folder, folder));
    const std::uint32_t writers = status.permissions & kWrite;
    return kOwner | writers | writers << 1;
}

// `is_written`: bytes will be written to it.
Result<Descriptor> open_or_create(const FilePath& path, bool is_written) {
    FARDEL_TRY_ASSIGN(const std::uint32_t mode, mode_for_writers(path));
    for (int tried = 1;; ++tried) {
        auto created = create_with_mode(path, mode);
        // SFTP has no error that says that the file exists: sshfs gives EPERM.
        const bool is_denied = !created && created.error().code() == ErrorCode::denied;
        if (created || (created.error().code() != ErrorCode::conflict && !is_denied))
            return created;
        auto file = open_regular_file(path, path, {.access = FileAccess::read_write, .links = Links::refused});
        const bool has_other_names = file && file->status.links > 1;
        if (has_other_names && is_written) {
            // Under its other name, it may be a file of the user that somebody has put here to have it overwritten.
            if (tried == kOpeningsTried)
                return Error(ErrorCode::malformed, path.text() + ": a second name of another file");
            FARDEL_TRY(remove_file(path, path));
            continue;
        }
        if (file) {
            // Earlier versions let every reader of the folder open the file. Only its owner can change that.
            if (!has_other_names && (file->status.permissions & ~mode) != 0)
                static_cast<void>(set_permissions(file->descriptor, file->status.permissions & mode, path));
            return std::move(file->descriptor);
        }
        if (file.error().code() != ErrorCode::missing || tried == (is_denied ? kDeniedTried : kOpeningsTried))
            return is_denied ? std::move(created) : std::move(file).error();
        // It was removed a moment ago.
    }
}

}  // namespace

std::unique_ptr<DiskHold> hold_locked(Descriptor file) { return std::make_unique<LockedFile>(std::move(file)); }

Result<std::unique_ptr<DiskHold>> wait_for_lock(Descriptor file, std::string_view path, LockSharing sharing) {
    const auto deadline = std::chrono::steady_clock::now() + kLockWaitMax;
    for (;;) {
        auto locked = sharing == LockSharing::shared ? lock_file_shared(file, path) : lock_file(file, path);
        if (!locked)
            return std::move(locked).error();
        if (*locked)
            return hold_locked(std::move(file));
        if (std::chrono::steady_clock::now() > deadline)
            return Error(ErrorCode::busy, std::string(path) + ": another program has had the lock for long; try again");
        std::this_thread::sleep_for(kLockPause);
    }
}

Result<Descriptor> create_lockable_file(const FilePath& path) {
    FARDEL_TRY_ASSIGN(const std::uint32_t mode, mode_for_writers(path));
    return create_with_mode(path, mode);
}

Result<Descriptor> open_or_create_file(const FilePath& path) { return open_or_create(path, true); }

Result<Descriptor> open_lock_file(const FilePath& path) {
    auto file = open_or_create(path, false);
    if (file || file.error().code() != ErrorCode::missing)
        return file;
    FARDEL_TRY(create_folders_below_root(path.folder(), Lasting::yes));
    return open_or_create(path, false);
}

}  // namespace fardel
