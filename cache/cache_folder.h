// CacheFolder: the files of a folder layer.
//
// Each file is written under a temporary name, then renamed, and not synced, which would make many small objects slow.
// A power failure may therefore leave files of zeros; their hashes reveal them. Only names and kinds of files are
// checked here: a symbolic link, a folder or another special file under the name of a cache file counts as absent.
// Below the folder, no link that another user has made is followed (file_path.h). Any number of threads, processes and
// machines at once.
#pragma once

#include <fardel/base/file_path.h>
#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

enum class CacheFileKind : std::uint8_t { record, object };

struct CacheFile {
    CacheFileKind kind{};
    Hash id;  // the bytes of a build key or an asset id
    std::uint64_t size_bytes = 0;
    std::int64_t used_ns = 0;  // the later of last access and last modification, by the file system's clock
};

// The temporary file of a writer that was killed or is still writing.
struct UnfinishedFile {
    std::string name;  // path below the folder
    std::uint64_t size_bytes = 0;
    std::int64_t used_ns = 0;
};

struct CacheShard {
    std::vector<CacheFile> files;
    std::vector<UnfinishedFile> unfinished;
};
inline constexpr unsigned kCacheShards = 256;  // of each kind, such as records/00 to records/ff

// "records/ab/<64 digits>"
std::string cache_file_name(CacheFileKind kind, const Hash& id);

class CacheFolder {
public:
    // With `create`, creates the cache and the folders above it, unless the path leads to anything but an empty folder.
    // Errors: missing, denied, no_space, io, malformed (not a folder, or not a cache), unsupported (a later layout).
    static Result<CacheFolder> open(const std::string& path, bool create);

    const std::string& path() const noexcept { return root_.text(); }

    Result<std::optional<CacheFile>> find(CacheFileKind kind, const Hash& id) const;
    // Returns the whole file. Errors: limit, denied, io, unreachable.
    Result<std::optional<std::vector<std::byte>>> find_bytes(CacheFileKind kind, const Hash& id,
                                                             std::size_t bytes_max) const;
    // Returns a blob that opens the file when it is read. Reading does not count as use.
    std::shared_ptr<const BlobSource> blob(CacheFileKind kind, const Hash& id) const;

    Status write(CacheFileKind kind, const Hash& id, const BlobSource& bytes) const;
    Status write(CacheFileKind kind, const Hash& id, std::span<const std::byte> bytes) const;
    // Records that the file is used now. Ignores errors.
    void mark_used(const CacheFile& file) const;
    // Returns false if there was no such file.
    Result<bool> remove(CacheFileKind kind, const Hash& id) const;
    Result<bool> remove(const UnfinishedFile& file) const;

    // Returns the files of one kind whose ids begin with the byte `shard`, in no particular order.
    Result<CacheShard> list(CacheFileKind kind, unsigned shard) const;
    // Returns the current time of the clock that stamps the files.
    Result<std::int64_t> time_ns() const;

    // The path of what running builds and trims leave for one another: cache_hold.h.
    FilePath retention_path(std::string_view name) const { return root_ / "retention" / name; }

private:
    explicit CacheFolder(FilePath root) : root_(std::move(root)) {}
    FilePath path_of(CacheFileKind kind, const Hash& id) const { return root_ / cache_file_name(kind, id); }

    FilePath root_;  // absolute, without links
};

}  // namespace fardel
