// PathStamp: what the system knows of a path without reading it, so that a change is noticed.
//
// Stamps are compared for equality only: an older file that was put back is a change. A file written shortly before its
// stamp was taken is young: the next change may fall within the same tick of the clock and leave the stamp as it is.
// So a young stamp proves nothing.
#pragma once

#include <fardel/base/file_status.h>

#include <cstdint>
#include <string>

namespace fardel {

enum class StampKind : std::uint8_t { missing, file, folder, other };

struct PathStamp {
    StampKind kind = StampKind::missing;
    bool young = false;
    std::uint64_t inode = 0;
    std::uint64_t size_bytes = 0;
    std::int64_t modified_ns = 0;  // since 1970
    std::int64_t changed_ns = 0;   // since 1970, of the inode

    friend bool operator==(const PathStamp&, const PathStamp&) = default;
};

// Whether nothing happened between the stamps. An unchanged folder has the same entries.
inline bool is_unchanged(const PathStamp& before, const PathStamp& now) { return before == now && !before.young; }
// The same for files that only the caller writes, or that were read after their stamp was taken: being young does not
// count.
inline bool looks_unchanged(const PathStamp& before, PathStamp now) {
    now.young = before.young;
    return before == now;
}

// `now_ns` is a time of wall_clock_ns() from before the status was taken.
PathStamp stamp_of(const FileStatus& status, std::int64_t now_ns) noexcept;

// Follows links. A path that cannot be looked at is missing.
PathStamp stamp_path(const std::string& path);

}  // namespace fardel
