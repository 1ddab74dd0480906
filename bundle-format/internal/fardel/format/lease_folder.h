// LeaseFolder: the leases of programs that use a store or a cache, each a file with a lock on it; docs/retention.md
// says what is in them.
//
// Any number of threads and processes at once. What other programs wrote is untrusted.
#pragma once

#include <fardel/base/descriptor.h>
#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/base/unix_time.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

// The file of a lease, with a lock on it where there are locks. The destructor removes it.
class FileLease {
public:
    FileLease(Descriptor file, FilePath path) : file_(std::move(file)), path_(std::move(path)) {}
    ~FileLease();
    FileLease(const FileLease&) = delete;
    FileLease& operator=(const FileLease&) = delete;

    Status write(std::span<const std::byte> bytes) const;

private:
    const Descriptor file_;
    const FilePath path_;
};

struct FoundFileLease {
    std::string name;
    bool is_locked = false;  // by a living program
    UnixTime renewed;
    std::optional<std::vector<std::byte>> bytes;  // nothing: more than any lease has
};

class LeaseFolder {
public:
    // `path`: below its root, the folder of the store or cache.
    explicit LeaseFolder(FilePath path) : path_(std::move(path)) {}

    // Creates the folder, too, if it does not exist. Errors: missing (no root), busy, denied, no_space, io.
    Result<std::unique_ptr<FileLease>> create() const;
    Result<std::vector<FoundFileLease>> list() const;
    Status remove(const std::string& name) const;

private:
    FilePath path_;
};

}  // namespace fardel
