#include <fardel/format/whole_file.h>

#include <fardel/base/file.h>
#include <fardel/base/shared_disk.h>
#include <fardel/format/staged_file.h>

#include <utility>

namespace fardel {
namespace {

Result<FileBytes> read_unlinked_once(const FilePath& path, std::size_t bytes_max) {
    FARDEL_TRY_ASSIGN(const RegularFile file, open_regular_file(path, path, {.links = Links::refused}));
    if (file.status.size_bytes > bytes_max)
        return Error(ErrorCode::limit, path.text() + ": " + std::to_string(file.status.size_bytes) +
                                           " bytes; at most " + std::to_string(bytes_max));
    std::vector<std::byte> bytes(static_cast<std::size_t>(file.status.size_bytes));
    FARDEL_TRY_ASSIGN(const std::size_t count, read_whole_at(file.descriptor, 0, bytes, path));
    bytes.resize(count);
    return FileBytes{.bytes = std::move(bytes), .status = file.status};
}

}  // namespace

Status write_small_file(const FilePath& path, std::span<const std::byte> bytes) {
    FARDEL_TRY_ASSIGN(const auto file, stage_file(path));
    FARDEL_TRY(file->write_at(0, bytes));
    return file->commit();
}

Result<FileBytes> read_unlinked_file_with_status(const FilePath& path, std::size_t bytes_max) {
    return read_present([&] { return read_unlinked_once(path, bytes_max); });
}

Result<std::vector<std::byte>> read_unlinked_file(const FilePath& path, std::size_t bytes_max) {
    FARDEL_TRY_ASSIGN(FileBytes file, read_unlinked_file_with_status(path, bytes_max));
    return std::move(file.bytes);
}

}  // namespace fardel
