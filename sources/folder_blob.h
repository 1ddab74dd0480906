// FolderBlob: a file below a scanned folder, opened again when its bytes are read.
//
// Each part of its name is opened from the folder's own descriptor, and no link is followed. So the file that was
// scanned is the one that is read; otherwise there is a conflict. A difference to the stamp of the scan is noticed
// before and after reading.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_status.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace fardel {

// Differs when the file was written to or replaced: 120 bits of a hash of its device, number, size and times, since
// each of a million files has one.
class FileStamp {
public:
    explicit FileStamp(const FileStatus& status) noexcept;
    // A hash that begins with the stamp.
    Hash version() const noexcept;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;

private:
    std::array<std::uint8_t, 15> bytes_{};
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
