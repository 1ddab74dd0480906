// CacheFolder: the files of a folder layer, and its packs.
//
// A pack is a bundle with many small records and objects, which trimming has moved there (cache_packing.h). A file of
// its own counts before what is in a pack, and a newer pack before an older one.
// Each file is written under a temporary name, then renamed, and not synced, which would make many small objects slow.
// A power failure may therefore leave files of zeros; their hashes reveal them. Only names and kinds of files are
// checked here: a symbolic link, a folder or another special file under the name of a cache file counts as absent.
// Below the folder, no link that another user has made is followed (file_path.h). Any number of threads, processes and
// machines at once.
#pragma once

#include <fardel/base/file_path.h>
#include <fardel/base/file_status.h>
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

enum class CacheFileKind : std::uint8_t { record, object, pack };

struct PackedFile;  // cache_packs.h

struct CacheFile {
    CacheFileKind kind{};
    Hash id;  // the bytes of a build key or an asset id; of a pack, see cache_pack_id()
    std::uint64_t size_bytes = 0;
    std::int64_t used_ns = 0;  // the later of last access and last modification, by the file system's clock; in a pack,
                               // that of the pack
    std::shared_ptr<const PackedFile> packed =
        nullptr;  // where it is in a pack, which stays open; or a file of its own
};

// "records" or "objects": the folder of records or objects, on disk and in bundles.
std::string_view cache_kind_folder(CacheFileKind kind) noexcept;

// Packs have numbers; the newest has the highest. The id of a pack is its number, big-endian, and then zeros.
Hash cache_pack_id(std::uint64_t number);
std::uint64_t cache_pack_number(const Hash& id);

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

// "records/ab/<64 digits>"; of a pack "packs/<16 digits>.fardel"
std::string cache_file_name(CacheFileKind kind, const Hash& id);

class CachePacks;

class CacheFolder {
public:
    // With `create`, creates the cache and the folders above it, unless the path leads to anything but an empty folder,
    // and packs that are found broken later are removed instead of ignored.
    // Errors: missing, denied, no_space, io, malformed (not a folder, or not a cache), unsupported (a later layout).
    static Result<CacheFolder> open(const std::string& path, bool create);

    const std::string& path() const noexcept { return root_.text(); }

    Result<std::optional<CacheFile>> find(CacheFileKind kind, const Hash& id) const;
    // Returns the whole record or object. Errors: limit, denied, io, unreachable; in a pack also those of Bundle.
    Result<std::optional<std::vector<std::byte>>> find_bytes(const CacheFile& file, std::size_t bytes_max) const;
    // Returns a blob that opens the file when it is read, also if it was moved into a pack meanwhile. Reading does not
    // count as use.
    std::shared_ptr<const BlobSource> blob(const CacheFile& file) const;
    // The same, wherever it is then.
    std::shared_ptr<const BlobSource> blob(CacheFileKind kind, const Hash& id) const { return blob({kind, id}); }
    // The status of a file of its own.
    Result<std::optional<FileStatus>> find_status(CacheFileKind kind, const Hash& id) const;

    Status write(CacheFileKind kind, const Hash& id, const BlobSource& bytes) const;
    Status write(CacheFileKind kind, const Hash& id, std::span<const std::byte> bytes) const;
    // Records that the file, or the pack that it is in, is used now. Ignores errors.
    void mark_used(const CacheFile& file) const;
    // Removes a file of its own. Returns false if there was no such file.
    Result<bool> remove(CacheFileKind kind, const Hash& id) const;
    // Removes what a reader found broken or useless: the file; if it is in a pack, the pack, but only if that is
    // broken: otherwise many others would be lost with it.
    void drop(CacheFileKind kind, const Hash& id) const;
    Result<bool> remove(const UnfinishedFile& file) const;

    // Returns the records or objects of their own whose ids begin with the byte `shard`, in no particular order.
    Result<CacheShard> list(CacheFileKind kind, unsigned shard) const;
    // Returns all packs, the newest first. Only the first kPacksMax are read.
    Result<std::vector<CacheFile>> list_packs() const;
    // Returns the records or objects in a pack that find() returns: those that are nowhere else. Errors: those of
    // opening a file and of Bundle; limit (more than any pack has).
    Result<std::vector<CacheFile>> list_packed(const CacheFile& pack, CacheFileKind kind) const;
    CachePacks& packs() const noexcept { return *packs_; }
    // Returns the current time of the clock that stamps the files.
    Result<std::int64_t> time_ns() const;

    // The path of what running builds and trims leave for one another: cache_hold.h.
    FilePath retention_path(std::string_view name) const { return root_ / "retention" / name; }

    // The path of a file of its own.
    FilePath path_of(CacheFileKind kind, const Hash& id) const { return root_ / cache_file_name(kind, id); }

private:
    CacheFolder(FilePath root, std::shared_ptr<CachePacks> packs) : root_(std::move(root)), packs_(std::move(packs)) {}

    FilePath root_;  // absolute, without links
    std::shared_ptr<CachePacks> packs_;
};

}  // namespace fardel
