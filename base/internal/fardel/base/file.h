// Files of the system: opening, reading, writing, and what the system knows of them.
//
// Every call that a signal interrupts is repeated. Every descriptor is closed on exec. `subject` begins the message of
// an error and is otherwise unused; errors are those of system_error.h, further ones are named, and
// Error::system_number() tells numbers apart that have one code. A path with a NUL character is malformed. Any thread.
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

enum class Links : bool { refused, followed };  // a symbolic link as the last part of a path
enum class FileAccess : unsigned char { read, write, read_write };

struct OpenOptions {
    FileAccess access = FileAccess::read;
    Links links = Links::followed;  // refused: ELOOP
    bool waits = false;             // for the other end of a FIFO, and for what is read from it
    bool keeps_used_time = false;   // where the system lets us, reading does not count as use
    bool location_only = false;     // no reading or writing: a descriptor to name a file by, which needs no permission
};

// Never creates. No file becomes the controlling terminal.
Result<Descriptor> open_file(const FileLocation& location, std::string_view subject, const OpenOptions& options = {});

struct RegularFile {
    Descriptor descriptor;
    FileStatus status;
};
// Further error: malformed ("<subject>: not a regular file").
Result<RegularFile> open_regular_file(const FileLocation& location, std::string_view subject,
                                      const OpenOptions& options = {});

// Creates a file to be read and written. Error: conflict (something has that name; a link counts, wherever it leads).
// `mode` loses the bits of the umask.
Result<Descriptor> create_file(const FileLocation& location, std::string_view subject, std::uint32_t mode = 0666);

// A file without a name in the system's folder for temporary files; it is gone when it is closed.
Result<Descriptor> create_unnamed_file(std::string_view subject);

// ---- Bytes ----------------------------------------------------------------------------------------------------------

// Up to out.size() bytes from the current position; 0 at the end, or if `out` is empty. Where nothing can be read
// without waiting and the descriptor does not wait: io, EAGAIN.
Result<std::size_t> read_some(const Descriptor& file, std::span<std::byte> out, std::string_view subject);

// Fills `out` from `offset`; the result is less than out.size() only if the file ends there.
Result<std::size_t> read_whole_at(const Descriptor& file, std::uint64_t offset, std::span<std::byte> out,
                                  std::string_view subject);

// All from the current position to the end. Error: limit (more than `bytes_max`). The text is never moved in memory
// while it grows, since it may be a secret; so `bytes_max` bytes are allocated.
Result<std::string> read_text(const Descriptor& file, std::size_t bytes_max, std::string_view subject);

// All of `bytes`; after an error some of them are written.
Status write_whole(const Descriptor& file, std::span<const std::byte> bytes, std::string_view subject);
Status write_whole_at(const Descriptor& file, std::uint64_t offset, std::span<const std::byte> bytes,
                      std::string_view subject);

Status resize_file(const Descriptor& file, std::uint64_t size_bytes, std::string_view subject);

// Returns when all that was written to the file has reached the disk.
Status sync_file(const Descriptor& file, std::string_view subject);

// Tells the system what will be read soon; it may ignore that.
void prefetch_file(const Descriptor& file, std::uint64_t offset, std::uint64_t length) noexcept;

// Bytes of a file as memory, read when they are touched. Reading what the file no longer has ends the program (SIGBUS).
Result<std::shared_ptr<const std::byte[]>> map_file(const Descriptor& file, std::uint64_t offset, std::uint64_t length,
                                                    std::string_view subject);

// ---- What the system knows ------------------------------------------------------------------------------------------

Result<FileStatus> file_status(const Descriptor& file, std::string_view subject);
Result<FileStatus> file_status(const FileLocation& location, std::string_view subject, Links links = Links::followed);
// Nothing where no file has that name (ENOENT, ENOTDIR); allocates nothing then.
Result<std::optional<FileStatus>> find_file_status(const FileLocation& location, std::string_view subject,
                                                   Links links = Links::followed);

// Whether this process may open or run the file; links are followed.
bool may_execute(const FileLocation& location) noexcept;
Status verify_may_read_and_write(const FileLocation& location, std::string_view subject);

Status set_permissions(const Descriptor& file, std::uint32_t mode, std::string_view subject);
Status set_permissions(const FileLocation& location, std::uint32_t mode, std::string_view subject);
// The file was used just now; its other times stay. A link is not followed.
Status touch_used_time(const FileLocation& location, std::string_view subject);

// ---- Locks ----------------------------------------------------------------------------------------------------------

// Locks the file for one open file, does not wait, and lasts until that is closed in all its duplicates. False: another
// open file of it has the lock. Errors also where a file system knows no locks.
Result<bool> lock_file(const Descriptor& file, std::string_view subject);

// ---- Names ----------------------------------------------------------------------------------------------------------

// Replaces what has the new name, in one step.
Status rename_file(const FileLocation& from, const FileLocation& to, std::string_view subject);
// Error: conflict (something has the new name). In one step, or, where the file system cannot, by a second name.
Status rename_to_new(const FileLocation& from, const FileLocation& to, std::string_view subject);
// Two files take each other's name. In one step, or, where the file system cannot, in three: "<from>.old" is used
// meanwhile, and after an error both have their old names as far as the system allows.
Status exchange_files(const FileLocation& from, const FileLocation& to, std::string_view subject);
// False: there was none (ENOENT, ENOTDIR).
Result<bool> remove_file(const FileLocation& location, std::string_view subject);

}  // namespace fardel
