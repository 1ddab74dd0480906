// FolderBlob: a file below a scanned folder, opened again when its bytes are wanted.
//
// It is reached from the folder's own descriptor, part by part, following no link: what was judged in the scan is what
// is read, or there is a conflict. Every difference to the stamp of the scan is noticed, before and after reading.
#pragma once

#include "file_descriptor.h"

#include <fardel/format/bundle_plan.h>

#include <cstdint>
#include <memory>
#include <string>

struct stat;

namespace fardel {

// What tells that a file was written to or replaced.
struct FileStamp {
    explicit FileStamp(const struct ::stat& status) noexcept;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;

    std::uint64_t device, inode, size_bytes;
    std::int64_t modified_s, modified_ns, changed_s, changed_ns;
};

struct FolderRoot {
    FileDescriptor descriptor;
    std::string path;  // as the user wrote it
};

// `name`: the path below the root, parts between '/'; none is "..". Errors of the blob: conflict, denied, io.
std::shared_ptr<const BlobSource> make_folder_blob(std::shared_ptr<const FolderRoot> root, std::string name,
                                                   FileStamp stamp);

}  // namespace fardel
