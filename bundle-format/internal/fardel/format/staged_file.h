// StagedFile: a file under construction that replaces its target in one step or leaves nothing behind.
//
// Virtual, so that tests can replace the disk. One thread at a time.
#pragma once

#include <fardel/base/file_path.h>
#include <fardel/base/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fardel {

class StagedFile {
public:
    // Removes the written file unless commit() was called.
    virtual ~StagedFile() = default;
    // Writes at any offset; gaps read as zero. After an error the bytes there are unspecified. Errors: no_space, limit
    // (larger than the system's maximum file size), io.
    virtual Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    // Cuts the file to `size_bytes`, or extends it with zeros. Errors: those of write_at.
    virtual Status resize(std::uint64_t size_bytes) = 0;
    // Makes the bytes durable, then visible under the target's name. Call it at most once, whatever it returns; nothing
    // can be written afterwards. On error the target is unchanged, unless the message says that the file already has
    // the target's name.
    virtual Status commit() = 0;
};

enum class ExistingFile : bool { replaced, kept };

// Creates a temporary file (".fardel-<process>-<number>.tmp") beside `path`, which commit() renames to `path`. A
// symbolic link at `path` is itself replaced; its target stays. A process that is killed leaves its temporary file
// behind; the next stage_file in that folder removes it, because only live writers hold locks on theirs. Errors:
// denied, missing (no such folder), malformed (the target is a folder, device, FIFO or socket, or a link to one), limit
// (path too long), no_space, io. With ExistingFile::kept, commit() replaces nothing: conflict if the name is taken.
Result<std::unique_ptr<StagedFile>> stage_file(const FilePath& path, ExistingFile existing = ExistingFile::replaced);

// Removes what killed processes left behind in a folder; stage_file() does that, too. What cannot be removed stays.
void remove_abandoned_files(const FilePath& folder);

// Appends to an existing file and syncs it, all or nothing: on error the file has its old length. Used for signatures.
// A power failure during the call may leave a part of `bytes` at the end. Errors: conflict (the file does not have
// `expected_bytes`, or was replaced), busy (another program is appending), missing, denied, malformed (not a regular
// file), limit, no_space, io.
Status append_to_file(const std::string& path, std::uint64_t expected_bytes, std::span<const std::byte> bytes);

}  // namespace fardel
