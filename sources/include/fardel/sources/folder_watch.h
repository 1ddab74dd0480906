// FolderWatch: notices that something below a folder was written, made, moved or removed. The seam to the system.
//
// It says that something changed, never what: whoever asks scans again. One thread at a time.
#pragma once

#include <fardel/format/result.h>

#include <memory>
#include <string>
#include <string_view>

namespace fardel {

class FolderWatch {
public:
    virtual ~FolderWatch() = default;
    // Whether something changed since the last call. Does not wait. Folders that are new are watched from then on.
    // Errors: limit (the system gives no more watches), io.
    virtual Result<bool> take_change() = 0;
};

// Links are not followed. What is called `ignored`, at any depth, is not watched, if that is not empty. Errors:
// missing, denied, limit, io; unsupported where the system cannot.
Result<std::unique_ptr<FolderWatch>> watch_folder(const std::string& path, std::string_view ignored = {});

}  // namespace fardel
