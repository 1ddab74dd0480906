#include <fardel/base/file_lock.h>

#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <chrono>
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

}  // namespace

std::unique_ptr<DiskHold> hold_locked(Descriptor file) { return std::make_unique<LockedFile>(std::move(file)); }

Result<std::unique_ptr<DiskHold>> wait_for_lock(Descriptor file, const std::string& path, LockSharing sharing) {
    const auto deadline = std::chrono::steady_clock::now() + kLockWaitMax;
    for (;;) {
        auto locked = sharing == LockSharing::shared ? lock_file_shared(file, path) : lock_file(file, path);
        if (!locked)
            return std::move(locked).error();
        if (*locked)
            return hold_locked(std::move(file));
        if (std::chrono::steady_clock::now() > deadline)
            return Error(ErrorCode::busy, path + ": another program has had the lock for long; try again");
        std::this_thread::sleep_for(kLockPause);
    }
}

Result<Descriptor> open_or_create_file(const std::string& path) {
    for (int tried = 1;; ++tried) {
        auto created = create_file(path, path);
        // SFTP has no error that says that the file exists: sshfs gives EPERM.
        const bool is_denied = !created && created.error().code() == ErrorCode::denied;
        if (created || (created.error().code() != ErrorCode::conflict && !is_denied))
            return created;
        auto file = open_regular_file(path, path, {.access = FileAccess::read_write, .links = Links::refused});
        if (file)
            return std::move(file->descriptor);
        if (file.error().code() != ErrorCode::missing || tried == (is_denied ? kDeniedTried : kOpeningsTried))
            return is_denied ? std::move(created) : std::move(file).error();
        // It was removed a moment ago.
    }
}

Result<Descriptor> open_lock_file(const std::string& root, const std::string& path) {
    auto file = open_or_create_file(path);
    if (file || file.error().code() != ErrorCode::missing)
        return file;
    FARDEL_TRY(create_folders_below(root, folder_of_path(path), Lasting::yes));
    return open_or_create_file(path);
}

}  // namespace fardel
