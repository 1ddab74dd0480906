// FileLocation: identifies a file by a path, or by a name below an open folder.
//
// Names below an open folder stay valid when another program renames or replaces a folder above. A location is only a
// parameter: it borrows the folder and the text for the duration of one call.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>

#include <cstddef>
#include <string>

namespace fardel {

class FileLocation {
public:
    FileLocation(const std::string& path) noexcept : path_(path) {}  // NOLINT: implicit on purpose
    FileLocation(const FilePath& path) noexcept                      // NOLINT: implicit on purpose
        : folder_(path.held_root()), path_(path.text()), root_size_(path.root_size()) {}
    // `folder` owns a descriptor. An absolute path ignores the folder.
    FileLocation(const Descriptor& folder, const std::string& path) noexcept : folder_(&folder), path_(path) {}

    const Descriptor* folder() const noexcept { return folder_; }  // nullptr: the working directory
    const std::string& path() const noexcept { return path_; }
    // The characters of `path` that name a root, below which links are not followed (file_path.h); 0: there is none.
    std::size_t root_size() const noexcept { return root_size_; }

private:
    const Descriptor* folder_ = nullptr;
    const std::string& path_;
    std::size_t root_size_ = 0;
};

}  // namespace fardel
