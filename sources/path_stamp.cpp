#include <fardel/sources/path_stamp.h>

#include "status_stamp.h"

#include <fardel/base/clock.h>
#include <fardel/base/file.h>
#include <fardel/base/folder.h>

#include <algorithm>

namespace fardel {
namespace {

// Longer than the tick of kernels' clocks (10 ms) and of most file systems.
constexpr std::int64_t kYoungNs = 50'000'000;

PathStamp stamp_at(const std::string& path, std::int64_t now_ns) {
    const auto status = find_file_status(path, path);
    return status && *status ? stamp_of(**status, now_ns) : PathStamp{};
}

std::optional<std::string> find_changed(const ObservedPath& seen, std::int64_t now_ns) {
    if (seen.files.empty())
        return is_unchanged(seen.stamp, stamp_at(seen.path, now_ns)) ? std::nullopt : std::optional(seen.path);
    const auto folder = open_folder(seen.path, seen.path, {.location_only = true});
    if (!folder)
        return seen.path;
    if (const auto status = file_status(*folder, seen.path);
        !status || !is_unchanged(seen.stamp, stamp_of(*status, now_ns)))
        return seen.path;
    for (const ObservedFile& file : seen.files) {
        const auto status = find_file_status({*folder, file.name}, file.name, Links::refused);
        if (!status || !*status || !is_unchanged(file.stamp, stamp_of(**status, now_ns)))
            return seen.path + '/' + file.name;
    }
    return std::nullopt;
}

}  // namespace

PathStamp stamp_of(const FileStatus& status, std::int64_t now_ns) noexcept {
    return {.kind = status.is_file()     ? StampKind::file
                    : status.is_folder() ? StampKind::folder
                                         : StampKind::other,
            .young = std::max(status.modified_ns, status.changed_ns) > now_ns - kYoungNs,
            .inode = status.inode,
            .size_bytes = status.size_bytes,
            .modified_ns = status.modified_ns,
            .changed_ns = status.changed_ns};
}

PathStamp stamp_path(const std::string& path) { return stamp_at(path, wall_clock_ns()); }

std::optional<std::string> find_changed(std::span<const ObservedPath> paths) {
    // Later than all times that are compared, so that no current stamp is young.
    constexpr std::int64_t kLater = INT64_MAX;
    for (const ObservedPath& seen : paths)
        if (auto changed = find_changed(seen, kLater))
            return changed;
    return std::nullopt;
}

}  // namespace fardel
