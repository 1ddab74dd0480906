// FolderBlob: a file below a scanned folder, opened again when its bytes are read.
//
// Each part of its name is opened from the folder's own descriptor, and no link is followed. So the file that was
// scanned is the one that is read; otherwise there is a conflict. A difference to the stamp of the scan is noticed
// before and after reading.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_status.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/name.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fardel {

// Changes when the file is written to or replaced.
struct FileStamp {
    explicit FileStamp(const FileStatus& status) noexcept;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;

    std::uint64_t device, inode, size_bytes;
    std::int64_t modified_ns, changed_ns;
};

struct FolderRoot {
    Descriptor descriptor;
    std::string path;  // as the user wrote it
};

// The blobs of one scan. They lie together in memory, which is freed with the last of them and the list: a blob of its
// own would take half as much again.
class FolderBlobs {
public:
    FolderBlobs();
    // `name` is the path below the root, its parts separated by '/'; none is "..". If the stamp is young
    // (path_stamp.h), the blob has no version. Errors of the blob: conflict, denied, io.
    std::shared_ptr<const BlobSource> add(std::shared_ptr<const FolderRoot> root, SharedText name, FileStamp stamp,
                                          bool is_young);

private:
    struct List;
    std::shared_ptr<List> list_;
};

}  // namespace fardel
