#include "system_call.h"

#include <fardel/base/file.h>
#include <fardel/base/file_status.h>
#include <fardel/base/shared_disk.h>

#include <sys/stat.h>
#include <unistd.h>

namespace fardel {
namespace {

FileKind kind_of(mode_t mode) noexcept {
    if (S_ISREG(mode))
        return FileKind::file;
    if (S_ISDIR(mode))
        return FileKind::folder;
    if (S_ISLNK(mode))
        return FileKind::link;
    if (S_ISFIFO(mode))
        return FileKind::fifo;
    return S_ISSOCK(mode) ? FileKind::socket : FileKind::device;
}

FileStatus status_from(const struct stat& status) noexcept {
#ifdef __APPLE__
    const struct timespec &used = status.st_atimespec, &modified = status.st_mtimespec, &changed = status.st_ctimespec;
#else
    const struct timespec &used = status.st_atim, &modified = status.st_mtim, &changed = status.st_ctim;
#endif
    return {.kind = kind_of(status.st_mode),
            .permissions = static_cast<std::uint32_t>(status.st_mode & 07777),
            .owner = static_cast<std::uint32_t>(status.st_uid),
            .links = static_cast<std::uint64_t>(status.st_nlink),
            .device = static_cast<std::uint64_t>(status.st_dev),
            .inode = static_cast<std::uint64_t>(status.st_ino),
            .size_bytes = static_cast<std::uint64_t>(status.st_size),
            .used_ns = nanoseconds(used),
            .modified_ns = nanoseconds(modified),
            .changed_ns = nanoseconds(changed)};
}

bool look(const FileLocation& location, Links links, struct stat& status) {
    const auto look_once = [&] {
        if (links == Links::followed && location.root_size() != 0 && location.path().size() > location.root_size()) {
            const Descriptor opened(open_below_root(location, location.path().size(), kLocationOnly | O_CLOEXEC));
            return opened && ::fstat(opened.number(), &status) == 0;
        }
        return call_at(location, [&](int folder, const char* name) {
                   return ::fstatat(folder, name, &status, links == Links::refused ? AT_SYMLINK_NOFOLLOW : 0);
               }) == 0;
    };
    if (look_once())
        return true;
    // An NFS client believes for up to a minute that a name is not there, so its absence is asked for once more.
    if (errno != ENOENT && errno != ESTALE)
        return false;
    refresh_names(location);
    return look_once();
}

Status set_both_times(const FileLocation& location, const struct timespec (&times)[2], std::string_view subject) {
    return status_of_call(
        call_at(location,
                [&](int folder, const char* name) { return ::utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW); }),
        subject);
}

}  // namespace

bool is_written_by_us_alone(const FileStatus& status) noexcept {
    constexpr std::uint32_t kWritableByOthers = 022;
    return status.owner == ::geteuid() && (status.permissions & kWritableByOthers) == 0;
}

Status verify_owner_only(const FileStatus& status, std::string_view subject, std::string_view kind) {
    constexpr std::uint32_t kOthers = 0077;
    if ((status.permissions & kOthers) == 0)
        return ok();
    return Error(ErrorCode::denied,
                 std::string(subject) + ": others than its owner may use this " + std::string(kind) +
                     "; run chmod 600 on it, or, where that is impossible, make a copy with 'install -m 600'");
}

Result<FileStatus> file_status(const Descriptor& file, std::string_view subject) {
    struct stat status {};
    if (::fstat(file.number(), &status) != 0)
        return system_error(errno, subject);
    return status_from(status);
}

Result<FileStatus> file_status(const FileLocation& location, std::string_view subject, Links links) {
    FARDEL_TRY(verify_path(location));
    struct stat status {};
    if (!look(location, links, status))
        return system_error(errno, subject);
    return status_from(status);
}

Result<std::optional<FileStatus>> find_file_status(const FileLocation& location, std::string_view subject,
                                                   Links links) {
    FARDEL_TRY(verify_path(location));
    struct stat status {};
    if (look(location, links, status))
        return std::optional(status_from(status));
    if (errno == ENOENT || errno == ENOTDIR)
        return std::optional<FileStatus>();
    return system_error(errno, subject);
}

bool may_execute(const FileLocation& location) {
    return location.path().find('\0') == std::string::npos &&
           call_at(location, [](int folder, const char* name) { return ::faccessat(folder, name, X_OK, 0); }) == 0;
}

Status verify_may_read_and_write(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    return status_of_call(
        call_at(location, [](int folder, const char* name) { return ::faccessat(folder, name, R_OK | W_OK, 0); }),
        subject);
}

Status set_permissions(const Descriptor& file, std::uint32_t mode, std::string_view subject) {
    return status_of_call(::fchmod(file.number(), mode), subject);
}

Status set_permissions(const FileLocation& location, std::uint32_t mode, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    if (location.root_size() != 0) {  // fchmodat would follow a link
        FARDEL_TRY_ASSIGN(const Descriptor file, open_file(location, subject, {.links = Links::refused}));
        return set_permissions(file, mode, subject);
    }
    return status_of_call(::fchmodat(folder_number(location), location.path().c_str(), mode, 0), subject);
}

Status touch_used_time(const FileLocation& location, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    const struct timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_NOW}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
    return set_both_times(location, times, subject);
}

Status set_times(const FileLocation& location, const FileTimes& times, std::string_view subject) {
    FARDEL_TRY(verify_path(location));
    constexpr std::int64_t kNsPerSecond = 1'000'000'000;
    const auto time_of = [](const std::optional<std::int64_t>& ns) {
        struct timespec time = {.tv_sec = 0, .tv_nsec = UTIME_OMIT};
        if (ns) {
            const std::int64_t rest = (*ns % kNsPerSecond + kNsPerSecond) % kNsPerSecond;
            time = {.tv_sec = (*ns - rest) / kNsPerSecond, .tv_nsec = static_cast<long>(rest)};
        }
        return time;
    };
    const struct timespec both[2] = {time_of(times.used_ns), time_of(times.modified_ns)};
    return set_both_times(location, both, subject);
}

}  // namespace fardel
