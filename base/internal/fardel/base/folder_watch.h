// FolderWatch: notices that a file or folder below a folder was written, created, moved or removed.
//
// It reports that something changed, never what; the caller scans again. One thread at a time.
#pragma once

#include <fardel/base/result.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

inline constexpr int kWatchDepthMax = 64;  // folders deeper than that are not watched

class FolderWatch {
public:
    virtual ~FolderWatch() = default;
    // Returns whether something changed since the last call; does not wait. New folders are watched from then on.
    // Errors: limit (the system gives no more watches), io.
    virtual Result<bool> take_change() = 0;
};

// Links are not followed. Files and folders with the name `ignored`, at any depth, are not watched, unless it is empty.
// Errors: missing, denied, limit, io; unsupported where the system cannot watch folders.
Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path, std::string_view ignored = {});

}  // namespace fardel
