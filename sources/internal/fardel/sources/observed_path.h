// ObservedPath: what a scan read, with its stamps, so that a later change is noticed without reading it again.
#pragma once

#include <fardel/base/path_stamp.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

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
