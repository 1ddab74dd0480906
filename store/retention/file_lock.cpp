#include "retention/file_lock.h"

#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace fardel {
namespace {

constexpr auto kLockWaitMax = std::chrono::seconds(30);
constexpr auto kLockPause = std::chrono::milliseconds(2);

struct LockedFile final : DiskHold {
    explicit LockedFile(Descriptor locked) : file(std::move(locked)) {}
    ~LockedFile() override { unlock_file(file); }
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;
    Descriptor file;
};

// Locks fail in one of these ways where there are none.
Error lock_error(Error error, const std::string& path) {
    const int number = error.system_number();
    if (number == ENOLCK || number == ENOSYS || number == EOPNOTSUPP)
        return Error(ErrorCode::unsupported, path + ": the file system has no locks", number);
    return error;
}

}  // namespace

std::unique_ptr<DiskHold> hold_locked(Descriptor file) { return std::make_unique<LockedFile>(std::move(file)); }

Result<std::unique_ptr<DiskHold>> wait_for_lock(Descriptor file, const std::string& path, LockSharing sharing) {
    const auto deadline = std::chrono::steady_clock::now() + kLockWaitMax;
    for (;;) {
        auto locked = sharing == LockSharing::shared ? lock_file_shared(file, path) : lock_file(file, path);
        if (!locked)
            return lock_error(std::move(locked).error(), path);
        if (*locked)
            return hold_locked(std::move(file));
        if (std::chrono::steady_clock::now() > deadline)
            return Error(ErrorCode::busy, path + ": another program has had the lock for long; try again");
        std::this_thread::sleep_for(kLockPause);
    }
}

Result<Descriptor> open_or_create_file(const std::string& path) {
    auto created = create_file(path, path);
    if (created || created.error().code() != ErrorCode::conflict)
        return created;
    FARDEL_TRY_ASSIGN(RegularFile file,
                      open_regular_file(path, path, {.access = FileAccess::read_write, .links = Links::refused}));
    return std::move(file.descriptor);
}

Result<Descriptor> open_lock_file(const std::string& root, const std::string& path) {
    auto file = open_or_create_file(path);
    if (file || file.error().code() != ErrorCode::missing)
        return file;
    FARDEL_TRY(create_folders_below(root, folder_of_path(path), Lasting::yes));
    return open_or_create_file(path);
}

}  // namespace fardel
