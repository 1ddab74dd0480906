// FileStatus: the system's facts about a file, as plain values.
#pragma once

#include <fardel/base/result.h>

#include <cstdint>
#include <string_view>

namespace fardel {

enum class FileKind : unsigned char { file, folder, link, fifo, socket, device };

// Returns "a file", "a folder", "a link", "a FIFO", "a socket" or "a device".
std::string_view file_kind_text(FileKind kind) noexcept;

struct FileStatus {
    FileKind kind = FileKind::file;
    // On Windows, 0644, of a folder 0755, and owner 0: what its access lists grant is not judged.
    std::uint32_t permissions = 0;  // the lower twelve bits of a mode, e.g. 0644
    std::uint32_t owner = 0;        // the number of a user
    std::uint64_t links = 0;        // names of the file; 0: it was removed
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size_bytes = 0;
    // Nanoseconds since 1970, in the file system's resolution.
    std::int64_t used_ns = 0;
    std::int64_t modified_ns = 0;
    std::int64_t changed_ns = 0;

    bool is_file() const noexcept { return kind == FileKind::file; }
    bool is_folder() const noexcept { return kind == FileKind::folder; }
    bool same_file_as(const FileStatus& other) const noexcept { return device == other.device && inode == other.inode; }
};

// Whether the user of this process owns the file, and nobody else may write to it.
bool is_written_by_us_alone(const FileStatus& status) noexcept;

// Refuses a file with a secret that others than its owner may read or write. `kind`: what it is, "secret key file".
// On Windows nothing is refused: it has access lists and no modes (docs/platforms.md). Error: denied.
Status verify_owner_only(const FileStatus& status, std::string_view subject, std::string_view kind);

// Whether the file has another name, and not everybody may read it: it can be one of this user's that somebody else has
// put here to have it sent to others.
inline bool may_be_private_elsewhere(const FileStatus& status) noexcept {
    constexpr std::uint32_t kReadByOthers = 0004;
    return status.links > 1 && (status.permissions & kReadByOthers) == 0;
}

}  // namespace fardel
