// CacheHold: what a running build does so that no trimming removes what it uses from a folder of derived data.
//
// The build has a lease in the folder, of the kind that writers of a store have (lease_folder.h), and marks what it
// uses. Trimming removes nothing that was used since the oldest lease of a running build began. From any thread.
#pragma once

#include "cache_folder.h"

#include <fardel/base/file_lock.h>
#include <fardel/base/result.h>
#include <fardel/format/lease_folder.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

class CacheHold {
public:
    // Errors: unsupported (the file system has no locks), busy, denied, no_space, io.
    static Result<CacheHold> open(const CacheFolder& folder);

    // Marks the file as used. Returns false if it was removed meanwhile; otherwise it stays as long as this object
    // lives. A file of another user may not be markable: then nothing keeps it.
    Result<bool> use(const CacheFile& file) const;

private:
    CacheHold(const CacheFolder& folder, std::unique_ptr<FileLease> lease, std::int64_t since_ns)
        : folder_(folder), lease_(std::move(lease)), since_ns_(since_ns) {}

    CacheFolder folder_;
    std::unique_ptr<FileLease> lease_;
    std::int64_t since_ns_;  // what was used since then is kept
};

// What a trim does to remove files: no build can mark one while the object lives.
class CacheTrimLock {
public:
    // Waits for builds that mark a file at the moment. Errors: those of CacheHold::open.
    static Result<CacheTrimLock> open(const CacheFolder& folder);

    // No file that was used then or later may be removed. INT64_MAX: no build is running.
    std::int64_t kept_since_ns() const noexcept { return kept_since_ns_; }

private:
    CacheTrimLock(std::unique_ptr<DiskHold> lock, std::int64_t kept_since_ns)
        : lock_(std::move(lock)), kept_since_ns_(kept_since_ns) {}

    std::unique_ptr<DiskHold> lock_;
    std::int64_t kept_since_ns_;
};

}  // namespace fardel
