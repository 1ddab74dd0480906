// Files: opens, reads, writes, locks and renames them, and reads their status.
//
// Calls that a signal interrupts are repeated. All descriptors are closed on exec. `subject` begins the message of an
// error and is otherwise unused. Errors are those of system_error.h, plus those that a function names;
// Error::system_number() distinguishes numbers that share one code. A path with a NUL character is malformed. Any
// thread.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_location.h>
#include <fardel/base/file_status.h>
#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fardel {

// ---- Opening --------------------------------------------------------------------------------------------------------

enum class Links : bool { refused, followed };  // a symbolic link as the last part of a path; see also file_path.h
enum class FileAccess : unsigned char { read, write, read_write };

struct OpenOptions {
    FileAccess access = FileAccess::read;
    Links links = Links::followed;  // refused: ELOOP
    bool waits = false;             // waits for the other end of a FIFO, and for bytes from it
    bool keeps_used_time = false;   // reading does not change the access time, if the system permits that
    bool location_only = false;  // the descriptor only identifies the file: it cannot be read or written, and opening
                                 // needs no permission
};

// Never creates a file. A terminal never becomes the controlling terminal.
Result<Descriptor> open_file(const FileLocation& location, std::string_view subject, const OpenOptions& options = {});

struct RegularFile {
    Descriptor descriptor;
    FileStatus status;
};
// Additional error: malformed ("<subject>: not a regular file").
Result<RegularFile> open_regular_file(const FileLocation& location, std::string_view subject,
                                      const OpenOptions& options = {});

// Creates a file for reading and writing. `mode` is reduced by the umask. Error: conflict (the name exists; a link
// counts, wherever it leads).
Result<Descriptor> create_file(const FileLocation& location, std::string_view subject, std::uint32_t mode = 0666);

// Opens a file to write at its end, and creates it if it is missing. Links are followed.
Result<Descriptor> open_appending(const FileLocation& location, std::string_view subject);

// Creates a file without a name in the system's folder for temporary files; closing it removes it.
Result<Descriptor> create_unnamed_file(std::string_view subject);

// ---- Bytes ----------------------------------------------------------------------------------------------------------

// Reads up to out.size() bytes from the current position; returns 0 at the end, or if `out` is empty. If reading would
// block and the descriptor is non-blocking: io, EAGAIN.
Result<std::size_t> read_some(const Descriptor& file, std::span<std::byte> out, std::string_view subject);

// Fills `out` from `offset`; returns less than out.size() only if the file ends there.
Result<std::size_t> read_whole_at(const Descriptor& file, std::uint64_t offset, std::span<std::byte> out,
                                  std::string_view subject);

// Reads everything from the current position to the end. Error: limit (more than `bytes_max`). Allocates `bytes_max`
// bytes at once, because the text may be a secret that a reallocation would copy.
Result<std::string> read_text(const Descriptor& file, std::size_t bytes_max, std::string_view subject);

// Reads the first line of a small file with a secret. `kind`: what it is, "token file". Errors: denied (others than the
// owner may use it), limit, those of open_regular_file.
Result<std::string> read_secret_line(const std::string& path, std::string_view subject, std::string_view kind);

// Writes all of `bytes`; after an error some of them may be written.
Status write_whole(const Descriptor& file, std::span<const std::byte> bytes, std::string_view subject);
Status write_whole_at(const Descriptor& file, std::uint64_t offset, std::span<const std::byte> bytes,
                      std::string_view subject);

Status resize_file(const Descriptor& file, std::uint64_t size_bytes, std::string_view subject);

// Returns when everything written to the file has reached the disk.
Status sync_file(const Descriptor& file, std::string_view subject);
// Lets the system write to the disk what was written to the file, so that sync_file() has less to wait for. A hint.
void begin_sync(const Descriptor& file) noexcept;

// Announces a range that will be read soon; the system may ignore this.
void prefetch_file(const Descriptor& file, std::uint64_t offset, std::uint64_t length) noexcept;

// Maps bytes of a file, which are read when they are touched. Touching bytes beyond the end of a file that shrank ends
// the program (SIGBUS).
Result<std::shared_ptr<const std::byte[]>> map_file(const Descriptor& file, std::uint64_t offset, std::uint64_t length,
                                                    std::string_view subject);

// ---- Status ---------------------------------------------------------------------------------------------------------

Result<FileStatus> file_status(const Descriptor& file, std::string_view subject);
Result<FileStatus> file_status(const FileLocation& location, std::string_view subject, Links links = Links::followed);
// Returns nothing, without allocating, if no file has that name (ENOENT, ENOTDIR).
Result<std::optional<FileStatus>> find_file_status(const FileLocation& location, std::string_view subject,
                                                   Links links = Links::followed);

// Whether there is a file of any kind, or a folder. What cannot be looked at counts as absent.
inline bool file_exists(const FileLocation& location) {
    const auto status = find_file_status(location, {});
    return status && *status;
}
inline bool folder_exists(const FileLocation& location) {
    const auto status = find_file_status(location, {});
    return status && *status && (*status)->is_folder();
}

// Whether this process may open or run the file; links are followed.
bool may_execute(const FileLocation& location);
Status verify_may_read_and_write(const FileLocation& location, std::string_view subject);

Status set_permissions(const Descriptor& file, std::uint32_t mode, std::string_view subject);
Status set_permissions(const FileLocation& location, std::uint32_t mode, std::string_view subject);
// Sets the access time to now; other times stay. Does not follow a link.
Status touch_used_time(const FileLocation& location, std::string_view subject);
// Sets times of a file, in nanoseconds since 1970; those that are not given stay. Does not follow a link.
struct FileTimes {
    std::optional<std::int64_t> used_ns;
    std::optional<std::int64_t> modified_ns;
};
Status set_times(const FileLocation& location, const FileTimes& times, std::string_view subject);

// ---- Locks ----------------------------------------------------------------------------------------------------------

// Tries to lock the file without waiting. The lock belongs to the open file and lasts until all its descriptors are
// closed. Returns false if another open file has the lock. Error: also unsupported, if the file system has no locks, or
// none that other computers see.
Result<bool> lock_file(const Descriptor& file, std::string_view subject);
// The same for a lock that any number of open files may have, as long as none has the other kind.
Result<bool> lock_file_shared(const Descriptor& file, std::string_view subject);
// Closing the file does so, too.
void unlock_file(const Descriptor& file) noexcept;

// ---- Names ----------------------------------------------------------------------------------------------------------

// Renames in one step. An existing file with the new name is replaced; whoever has it open on this computer reads on in
// the old one. Windows takes two steps where the file system cannot do that
// (docs/decisions/0108-open-files-are-moved-aside.md). Error: also busy (there: another program does not share the
// file).
Status rename_file(const FileLocation& from, const FileLocation& to, std::string_view subject);
// The same for a file that this process has created and nobody else may remove. Error: also conflict (another computer
// that does not see locks of this one removed it: the folder is there and the file is not).
Status rename_own(const FilePath& from, const FilePath& to);
// Error: conflict (the new name exists). Renames in one step or, if the file system does not support that, by creating
// a second link.
Status rename_to_new(const FileLocation& from, const FileLocation& to, std::string_view subject);
// Exchanges the names of two files, in one step or, if the file system does not support that, in three: these use
// "<from>.old", and after an error both files have their old names as far as the system allows.
Status exchange_files(const FileLocation& from, const FileLocation& to, std::string_view subject);
// Whether the file, which is open, has this name now. Opens the name: its status alone may be an old one on a network
// file system, and a removed file may live on under another name there.
Result<bool> has_name(const Descriptor& file, const FileLocation& location, std::string_view subject);
// Returns false if there was no such file (ENOENT, ENOTDIR). Error: also busy, as for rename_file().
Result<bool> remove_file(const FileLocation& location, std::string_view subject);

}  // namespace fardel
