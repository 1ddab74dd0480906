#include "path_stamp_posix.h"

#include "file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>

namespace fardel {
namespace {

// Longer than the tick of kernels' clocks (10 ms) and of most file systems.
constexpr std::int64_t kYoungNs = 50'000'000;

std::int64_t ns_of(const struct timespec& time) { return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec; }

PathStamp stamp_at(const std::string& path, std::int64_t now_ns) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? stamp_of(status, now_ns) : PathStamp{};
}

std::optional<std::string> find_changed(const SeenPlace& place, std::int64_t now_ns) {
    if (place.files.empty())
        return is_unchanged(place.stamp, stamp_at(place.path, now_ns)) ? std::nullopt : std::optional(place.path);
    const FileDescriptor folder = open_at(AT_FDCWD, place.path.c_str(), O_DIRECTORY | O_PATH);
    struct stat status {};
    if (!folder || ::fstat(folder.get(), &status) != 0 || !is_unchanged(place.stamp, stamp_of(status, now_ns)))
        return place.path;
    for (const SeenFile& file : place.files)
        if (::fstatat(folder.get(), file.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !is_unchanged(file.stamp, stamp_of(status, now_ns)))
            return place.path + '/' + file.name;
    return std::nullopt;
}

}  // namespace

std::int64_t file_clock_ns() noexcept {
    struct timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return ns_of(now);
}

PathStamp stamp_of(const struct ::stat& status, std::int64_t now_ns) noexcept {
    PathStamp stamp{.kind = S_ISREG(status.st_mode)   ? StampKind::file
                            : S_ISDIR(status.st_mode) ? StampKind::folder
                                                      : StampKind::other,
                    .inode = status.st_ino,
                    .size_bytes = static_cast<std::uint64_t>(status.st_size),
                    .modified_ns = ns_of(status.st_mtim),
                    .changed_ns = ns_of(status.st_ctim)};
    stamp.young = std::max(stamp.modified_ns, stamp.changed_ns) > now_ns - kYoungNs;
    return stamp;
}

PathStamp stamp_path(const std::string& path) { return stamp_at(path, file_clock_ns()); }

std::optional<std::string> find_changed(std::span<const SeenPlace> places) {
    // Past all that is compared: what is there now is as old as it looks.
    constexpr std::int64_t kLater = INT64_MAX;
    for (const SeenPlace& place : places)
        if (auto changed = find_changed(place, kLater))
            return changed;
    return std::nullopt;
}

}  // namespace fardel
