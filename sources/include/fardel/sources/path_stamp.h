// PathStamp: what a stat tells of a path, so that a change shows without reading. And places: what a scan looked at.
//
// Compared with equality and nothing else: an older file put back is a change. What was written shortly before it was
// looked at is young: another change may follow within the clock's grain and not show, so a young stamp equals none.
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
    std::int64_t changed_ns = 0;   // of the inode

    friend bool operator==(const PathStamp&, const PathStamp&) = default;
};

// Whether nothing happened in between. Folders: their entries are the same ones.
inline bool is_unchanged(const PathStamp& before, const PathStamp& now) { return before == now && !before.young; }
// The same for what nobody else writes, or what was read later than it was stamped: youth does not count.
inline bool looks_unchanged(const PathStamp& before, PathStamp now) {
    now.young = before.young;
    return before == now;
}

// Follows links; what cannot be looked at is missing.
PathStamp stamp_path(const std::string& path);

struct SeenFile {
    std::string name;  // in its folder
    PathStamp stamp;
};

// A folder, stamped before it was listed, with its regular files; or a file, an archive: then without any.
struct SeenPlace {
    std::string path;
    PathStamp stamp;
    std::vector<SeenFile> files;
};

// A file, an archive or nothing, as it is now.
inline SeenPlace see_path(std::string path) {
    PathStamp stamp = stamp_path(path);
    return {.path = std::move(path), .stamp = stamp, .files = {}};
}

// The path of the first place or file that is not as it was; nothing: all are. One stat each, and an open for a folder.
std::optional<std::string> find_changed(std::span<const SeenPlace> places);

}  // namespace fardel
