// FileLocation: identifies a file by a path from the working directory or by a name below an open folder.
//
// Names below an open folder stay valid when another program renames or replaces a folder above. A location is only a
// parameter: it borrows the folder and the text for the duration of one call.
#pragma once

#include <fardel/base/descriptor.h>

#include <string>

namespace fardel {

class FileLocation {
public:
    FileLocation(const std::string& path) noexcept : path_(path) {}  // NOLINT: implicit on purpose
    // `folder` owns a descriptor. An absolute path ignores the folder.
    FileLocation(const Descriptor& folder, const std::string& path) noexcept : folder_(&folder), path_(path) {}

    const Descriptor* folder() const noexcept { return folder_; }  // nullptr: the working directory
    const std::string& path() const noexcept { return path_; }

private:
    const Descriptor* folder_ = nullptr;
    const std::string& path_;
};

}  // namespace fardel
