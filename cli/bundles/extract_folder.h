// ExtractFolder: a folder on disk that gets files, all of them or none; the one seam between extraction and the disk.
//
// Bytes go to new files in a private folder inside the target; commit() moves them to their places. No link is ever
// followed below the target, nothing that is there is opened, written through or replaced, unless it is a regular file
// and that was asked for. A folder that somebody else changes meanwhile gives an error, never a file elsewhere. One
// thread.
#pragma once

#include <fardel/format/name.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fardel {

class ExtractFolder {
public:
    // Makes the folder if only its last part is missing. `replace`: existing regular files may be replaced.
    // Errors: missing, denied, conflict (something else is there), no_space, io.
    static Result<ExtractFolder> open(const std::string& path, bool replace);
    // Without commit() nothing is left.
    ~ExtractFolder();
    ExtractFolder(ExtractFolder&&) noexcept;

    // Whether `name` can be put in its place, before any work. Errors: conflict (something is there, or one of its
    // folders is no folder), denied, io.
    Status verify_place(const AssetName& name);

    // Starts the file `name`, whose bytes follow. Errors: no_space, denied, io.
    Status begin(const AssetName& name);
    Status write(std::span<const std::byte> bytes);

    // Moves all files to their places, or none. Errors: those of verify_place, no_space.
    Status commit();
    std::uint64_t replaced() const noexcept;

private:
    struct Impl;
    explicit ExtractFolder(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
