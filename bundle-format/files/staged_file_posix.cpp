#include <fardel/format/staged_file.h>

#include "posix_error.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

constexpr std::size_t kWriteBytesMax = std::size_t{1} << 30;  // Linux stops at 2 GiB a call
constexpr int kNamesTried = 10'000;

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

// A name that no other thread or process uses now; of fixed length, so that any name that fits as a target does here.
std::string temporary_path(const std::string& folder) {
    static std::atomic<std::uint64_t> number{0};
    return folder + "/.fardel-" + std::to_string(::getpid()) + "-" + std::to_string(number++) + ".tmp";
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

// A lock ends with its process, so what nobody has locked, nobody will rename. Where a file system has no locks,
// everything stays.
void remove_abandoned(const std::string& folder) {
    std::error_code stop;
    for (std::filesystem::directory_iterator entries(folder, stop), end; !stop && entries != end;
         entries.increment(stop)) {
        const std::string path = entries->path().string();
        if (!is_temporary(std::string_view(path).substr(path.rfind('/') + 1)))
            continue;
        const int descriptor = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (descriptor < 0)
            continue;
        struct stat status {};
        if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            ::unlink(path.c_str());
        ::close(descriptor);
    }
}

// False: somebody took the new file for an abandoned one.
bool lock_own(int descriptor) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    struct stat status {};
    return ::fstat(descriptor, &status) != 0 || status.st_nlink > 0;
}

Status write_whole(int descriptor, std::uint64_t offset, std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t count =
            ::pwrite(descriptor, bytes.data(), std::min(bytes.size(), kWriteBytesMax), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return posix_error(errno, path);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return ok();
}

Status resize_whole(int descriptor, std::uint64_t size_bytes, const std::string& path) {
    int result;
    do {
        result = ::ftruncate(descriptor, static_cast<off_t>(size_bytes));
    } while (result != 0 && errno == EINTR);
    return result == 0 ? ok() : posix_error(errno, path);
}

Status sync(int descriptor, const std::string& path) {
    return ::fsync(descriptor) == 0 ? ok() : posix_error(errno, path);
}

// So that the rename survives a power failure.
Status sync_folder(const std::string& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return posix_error(errno, folder);
    Status status = ok();
    if (::fsync(descriptor) != 0 && errno != EINVAL)  // some file systems cannot sync a folder
        status = posix_error(errno, folder);
    ::close(descriptor);
    return status;
}

class PosixStagedFile final : public StagedFile {
public:
    PosixStagedFile(int descriptor, std::string temporary, std::string target)
        : descriptor_(descriptor), temporary_(std::move(temporary)), target_(std::move(target)) {}

    ~PosixStagedFile() override {
        if (descriptor_ >= 0)
            ::close(descriptor_);
        if (!temporary_.empty())
            ::unlink(temporary_.c_str());
    }
    PosixStagedFile(const PosixStagedFile&) = delete;
    PosixStagedFile& operator=(const PosixStagedFile&) = delete;

    Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
        return write_whole(descriptor_, offset, bytes, target_);
    }

    Status resize(std::uint64_t size_bytes) override { return resize_whole(descriptor_, size_bytes, target_); }

    Status commit() override {
        FARDEL_TRY(sync(descriptor_, target_));
        const int lock = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);  // the lock lasts until the file has its name
        Status placed = ok();
        if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)  // NFS tells late errors here
            placed = posix_error(errno, target_);
        else if (::rename(temporary_.c_str(), target_.c_str()) != 0)
            placed = posix_error(errno, target_);
        if (lock >= 0)
            ::close(lock);
        FARDEL_TRY(std::move(placed));
        temporary_.clear();
        Status status = sync_folder(folder_of(target_));
        return status ? ok()
                      : std::move(status).error().with_context(
                            "the file is in place, but may not survive a power failure");
    }

private:
    int descriptor_;
    std::string temporary_;  // empty once renamed
    const std::string target_;
};

// Before any work: what commit() could not replace, or should not.
Status verify_target(const std::string& path) {
    if (path.empty() || path.back() == '/' || path.find('\0') != std::string::npos)
        return Error(ErrorCode::malformed, "\"" + path.substr(0, path.find('\0')) + "\" does not name a file");
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return errno == ENOENT || errno == ELOOP ? ok() : posix_error(errno, path);  // absent, or a link to nowhere
    if (!S_ISREG(status.st_mode))
        return Error(ErrorCode::malformed, path + ": not a regular file; it would not be replaced");
    return ok();
}

}  // namespace

Result<std::unique_ptr<StagedFile>> stage_file(const std::string& path) {
    FARDEL_TRY(verify_target(path));
    remove_abandoned(folder_of(path));
    for (int tried = 0;; ++tried) {
        std::string temporary = temporary_path(folder_of(path));
        const int descriptor =
            ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);  // less the umask
        if (descriptor >= 0 && lock_own(descriptor))
            return std::unique_ptr<StagedFile>(new PosixStagedFile(descriptor, std::move(temporary), path));
        if (descriptor >= 0) {
            ::unlink(temporary.c_str());
            ::close(descriptor);
            errno = EEXIST;
        }
        const bool left_behind = errno == EEXIST && tried < kNamesTried;  // by a killed process of our number
        if (!left_behind && errno != EINTR)
            return posix_error(errno, path);
    }
}

Status append_to_file(const std::string& path, std::uint64_t expected_bytes, std::span<const std::byte> bytes) {
    // O_NONBLOCK: opening a FIFO must not wait for a reader.
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return errno == EISDIR ? Error(ErrorCode::malformed, path + ": not a regular file") : posix_error(errno, path);
    struct Closer {
        int descriptor;
        ~Closer() { ::close(descriptor); }  // and gives the lock back
    } const closer{descriptor};

    struct stat open_file {};
    if (::fstat(descriptor, &open_file) != 0)
        return posix_error(errno, path);
    if (!S_ISREG(open_file.st_mode))
        return Error(ErrorCode::malformed, path + ": not a regular file");
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? Error(ErrorCode::busy, path + ": somebody else is appending to it; try again")
                                    : posix_error(errno, path);

    // Under the lock: is it still the file of that name, and still as long as the caller thinks?
    struct stat named_file {};
    if (::fstat(descriptor, &open_file) != 0 || ::stat(path.c_str(), &named_file) != 0)
        return posix_error(errno, path);
    if (open_file.st_dev != named_file.st_dev || open_file.st_ino != named_file.st_ino)
        return Error(ErrorCode::conflict, path + ": was replaced just now; read it again");
    const auto found_bytes = static_cast<std::uint64_t>(open_file.st_size);
    if (found_bytes != expected_bytes)
        return Error(ErrorCode::conflict, path + ": has " + std::to_string(found_bytes) + " bytes, expected " +
                                              std::to_string(expected_bytes) + "; read it again");

    Status status = write_whole(descriptor, expected_bytes, bytes, path);
    if (status)
        status = sync(descriptor, path);
    if (!status) {
        const Status restored = resize_whole(descriptor, expected_bytes, path);
        if (!restored)
            return std::move(status).error().with_context("cut it back to " + std::to_string(expected_bytes) +
                                                          " bytes: that failed too");
    }
    return status;
}

}  // namespace fardel
