// PathStamp: what the system knows of a path without reading it, so that a change is noticed. ObservedPath: what a scan
// read, with its stamps.
//
// Stamps are compared for equality only: an older file that was put back is a change. A file written shortly before its
// stamp was taken is young: the next change may fall within the same tick of the clock and leave the stamp as it is.
// So a young stamp proves nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// Follows links. A path that cannot be looked at is missing.
PathStamp stamp_path(const std::string& path);

struct ObservedFile {
    std::string name;  // in its folder
    PathStamp stamp;
};

// Either a folder, stamped before it was listed, and its regular files; or an archive or another file, without `files`.
struct ObservedPath {
    std::string path;
    PathStamp stamp;
    std::vector<ObservedFile> files;
};

// The current stamp of a file or archive, which may be missing.
inline ObservedPath observe_path(std::string path) {
    PathStamp stamp = stamp_path(path);
    return {.path = std::move(path), .stamp = stamp, .files = {}};
}

// Returns the first path that changed, that of a folder, an archive or a file in a folder; none if all are
// unchanged. Costs one stat per file and one open per folder.
std::optional<std::string> find_changed(std::span<const ObservedPath> paths);

}  // namespace fardel
