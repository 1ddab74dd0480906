// StagedFile: a file under construction that replaces its target in one step, or leaves no trace.
//
// Virtual so that tests can replace the disk. One thread at a time.
#pragma once

#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace fardel {

class StagedFile {
public:
    // Without commit(), the destructor removes what was written.
    virtual ~StagedFile() = default;
    // Any offset, gaps read as zero. After an error the bytes there are unspecified. Errors: no_space, limit (larger
    // than the system lets a file be), io.
    virtual Status write_at(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
    // Cuts the file to `size_bytes`, or extends it with zeros. The same errors.
    virtual Status resize(std::uint64_t size_bytes) = 0;
    // Makes the bytes durable, then visible under the target's name. At most once, whatever it returns; nothing can be
    // written after it. On error the target is unchanged, unless the message says that the file has its name.
    virtual Status commit() = 0;
};

// A temporary file (".fardel-<process>-<number>.tmp") beside `path`, renamed over it by commit(). A symbolic link at
// `path` is itself replaced; its target stays. A process that is killed leaves its temporary file behind until the next
// stage_file in that folder, which removes it: a live writer holds a lock on its own. Errors: denied, missing (no such
// folder), malformed (the target is a folder, device, FIFO or socket, or a link to one), limit (path too long),
// no_space, io.
Result<std::unique_ptr<StagedFile>> stage_file(const std::string& path);

// Appends to an existing file and syncs it, all or nothing: on error the file has its old length. For signatures. A
// power failure in the middle may leave a part of `bytes` at the end.
// Errors: conflict (the file does not have `expected_bytes`, or was replaced), busy (another program is appending),
// missing, denied, malformed (not a regular file), limit, no_space, io.
Status append_to_file(const std::string& path, std::uint64_t expected_bytes, std::span<const std::byte> bytes);

}  // namespace fardel
