// Locks on files that last until an object is destroyed or the program ends; docs/retention.md, "Locks and clocks".
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/result.h>

#include <cstdint>
#include <memory>
#include <string>

namespace fardel {

// Something that is held until the object is destroyed.
class DiskHold {
public:
    virtual ~DiskHold() = default;
};

enum class LockSharing : std::uint8_t { alone, shared };

// Holds a lock that `file` has.
std::unique_ptr<DiskHold> hold_locked(Descriptor file);
// Waits for the lock. Errors: busy (after a long wait), unsupported (the file system has no locks), io.
Result<std::unique_ptr<DiskHold>> wait_for_lock(Descriptor file, const std::string& path, LockSharing sharing);

// Opens a file for reading and writing. Errors: missing (its folder is not there), malformed (a link, or not a regular
// file), denied, no_space, io.
Result<Descriptor> open_or_create_file(const std::string& path);
// Opens the file, and creates it and the folders above it, up to `root`, if they do not exist.
Result<Descriptor> open_lock_file(const std::string& root, const std::string& path);

}  // namespace fardel
