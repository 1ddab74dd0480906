// FolderWatch: notices when a file or folder below a folder is written, created, moved or removed.
//
// It reports only that there was a change; the caller scans again. One thread at a time.
#pragma once

#include <fardel/base/result.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr int kWatchDepthMax = 64;  // deeper folders are not watched

class FolderWatch {
public:
    virtual ~FolderWatch() = default;
    // Returns whether something changed since the last call; does not wait. New folders are watched from then on.
    // Errors: limit (the system gives no more watches), io.
    virtual Result<bool> take_change() = 0;
};

// Links are not followed. Files and folders named `ignored`, at any depth, are not watched, unless `ignored` is empty.
// Errors: missing, denied, limit, io; unsupported if the system cannot watch folders.
Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path, std::string_view ignored = {});

}  // namespace fardel
