// Locks on files that last until an object is destroyed or the program ends; docs/retention.md, "Locks and clocks".
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>

#include <cstdint>
#include <memory>
#include <string_view>

namespace fardel {

// Something that is held until the object is destroyed.
class DiskHold {
public:
    virtual ~DiskHold() = default;
};

enum class LockSharing : std::uint8_t { alone, shared };

// Holds a lock that `file` has.
std::unique_ptr<DiskHold> hold_locked(Descriptor file);
// Waits for the lock. `path` is for messages. Errors: busy (after a long wait), unsupported (the file system has no
// locks), io.
Result<std::unique_ptr<DiskHold>> wait_for_lock(Descriptor file, std::string_view path, LockSharing sharing);

// Files whose locks count have a mode by which only those may open them who may write into their folder: others could
// hold the lock for ever.
//
// Creates such a file for reading and writing. Errors: those of create_file.
Result<Descriptor> create_lockable_file(const FilePath& path);
// Opens one for reading and writing, or creates it. An existing one that is this user's gets the mode; one that has
// another name elsewhere loses this one, and a new one is created. Errors: missing
// (its folder is not there), malformed (a link, or not a regular file), denied, no_space, io.
Result<Descriptor> open_or_create_file(const FilePath& path);
// The same for a file to which nothing is written; creates the folders above it, too, below the root of the path.
Result<Descriptor> open_lock_file(const FilePath& path);

}  // namespace fardel
