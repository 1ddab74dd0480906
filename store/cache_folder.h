// CacheFolder: the files of a folder layer, and the seam between them and the operating system.
//
// Each file is written beside its place and renamed, and not synced: a power failure may leave files of zeros, which no
// hash believes, and a cache that waits for the disk with every small object is a slow one. Nothing here is checked but
// names and kinds of files: symbolic links, folders and the like in a file's place are not there. Any number of
// threads, processes and machines at once.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class CacheKind : std::uint8_t { record, object };

struct CacheFile {
    CacheKind kind{};
    Hash id;  // a build key's or an asset's bytes
    std::uint64_t size_bytes = 0;
    std::int64_t used_ns = 0;  // the later of last access and last change, of the file system's clock
};

// What a writer that was killed, or that is still at it, has left.
struct UnfinishedFile {
    std::string name;  // below the folder
    std::uint64_t size_bytes = 0;
    std::int64_t used_ns = 0;
};

struct CacheShard {
    std::vector<CacheFile> files;
    std::vector<UnfinishedFile> unfinished;
};
inline constexpr unsigned kCacheShards = 256;  // of each kind: records/00 to records/ff

// "records/ab/<64 digits>"
std::string cache_file_name(CacheKind kind, const Hash& id);

class CacheFolder {
public:
    // With `create` it is made, folders above it too, when there is nothing or an empty folder. Errors: missing,
    // denied, no_space, io, malformed (no folder, or a folder of something else), unsupported (a later layout).
    static Result<CacheFolder> open(const std::string& path, bool create);

    const std::string& path() const noexcept { return path_; }

    Result<std::optional<CacheFile>> find(CacheKind kind, const Hash& id) const;
    // The whole file. Errors: limit, denied, io, unreachable.
    Result<std::optional<std::vector<std::byte>>> find_bytes(CacheKind kind, const Hash& id,
                                                             std::size_t bytes_max) const;
    // Opened when it is read; reading it does not count as use.
    std::shared_ptr<const BlobSource> blob(CacheKind kind, const Hash& id) const;

    Status write(CacheKind kind, const Hash& id, const BlobSource& bytes) const;
    Status write(CacheKind kind, const Hash& id, std::span<const std::byte> bytes) const;
    // Now used, unless it was a short while ago. Failing to say so is no failure.
    void touch(const CacheFile& file) const;
    // False: it was not there.
    Result<bool> remove(CacheKind kind, const Hash& id) const;
    Result<bool> remove(const UnfinishedFile& file) const;

    // What lies there of one kind, whose ids start with the byte `shard`; in no order.
    Result<CacheShard> list(CacheKind kind, unsigned shard) const;
    // What the clock says that the files' times come from.
    Result<std::int64_t> time_ns() const;

private:
    explicit CacheFolder(std::string path) : path_(std::move(path)) {}
    std::string path_of(CacheKind kind, const Hash& id) const { return path_ + "/" + cache_file_name(kind, id); }

    std::string path_;  // absolute
};

}  // namespace fardel
