// ExtractFolder: writes files to a folder on disk, all of them or none; the only seam between extraction and the disk.
//
// Bytes are written to new files in a private folder inside the target; commit() moves them to their final names. No
// link below the target is followed. Existing files are never opened or written to; they are replaced only if they are
// regular files and `replace` is set. If another program changes the folder meanwhile, the result is an error, never a
// file outside the target. One thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/name.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fardel {

class ExtractFolder {
public:
    // Creates the folder if only its last part is missing. `replace`: existing regular files may be replaced.
    // Errors: missing, denied, conflict (not a folder), no_space, io.
    static Result<ExtractFolder> open(const std::string& path, bool replace);
    // Removes everything that was written, unless commit() succeeded.
    ~ExtractFolder();
    ExtractFolder(ExtractFolder&&) noexcept;

    // Checks before any work whether a file with this name can be created. Errors: conflict (the name is taken, or one
    // of its folders is not a folder), denied, io.
    Status verify_free(const AssetName& name);

    // Starts the file `name`; write() appends its bytes. Errors: no_space, denied, io.
    Status begin(const AssetName& name);
    Status write(std::span<const std::byte> bytes);

    // Moves all files to their final names, or none. Errors: those of verify_free, no_space.
    Status commit();
    // The number of existing files that commit() replaced.
    std::uint64_t replaced() const noexcept;

private:
    struct Impl;
    explicit ExtractFolder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
