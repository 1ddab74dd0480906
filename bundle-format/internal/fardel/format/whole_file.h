// Small files that are read and written as a whole: records and indexes.
#pragma once

#include <fardel/base/file_path.h>
#include <fardel/base/file_status.h>
#include <fardel/base/result.h>

#include <cstddef>
#include <span>
#include <vector>

namespace fardel {

// Replaces a file in one step and makes it durable. Errors: those of stage_file and StagedFile.
Status write_small_file(const FilePath& path, std::span<const std::byte> bytes);
// Errors: missing, limit (more than `bytes_max`), malformed (a link, or not a regular file), denied, io.
Result<std::vector<std::byte>> read_unlinked_file(const FilePath& path, std::size_t bytes_max);
// The same with what the system says of the very file that was read.
struct FileBytes {
    std::vector<std::byte> bytes;
    FileStatus status;
};
Result<FileBytes> read_unlinked_file_with_status(const FilePath& path, std::size_t bytes_max);

}  // namespace fardel
