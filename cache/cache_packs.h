// CachePacks: the packs of a cache folder, opened for look-ups.
//
// They are opened at the first look-up, and listed again when their folder has changed: other processes write, merge
// and remove packs at any time. For what is found, the folder is looked at every few milliseconds only. What cannot be
// read counts as absent. Packs are untrusted, as all files of a cache: the bundle's own hashes show damage, and the
// caller checks what it reads. From any thread.
#pragma once

#include "bundled_file.h"
#include "cache_folder.h"

#include <fardel/base/file_path.h>
#include <fardel/base/path_stamp.h>
#include <fardel/base/result.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace fardel {

class BlockCache;

inline constexpr std::size_t kPacksMax = 64;                      // that are read
inline constexpr std::size_t kPackedBytesMax = 16u << 10;         // of a file that is moved into a pack
inline constexpr std::uint32_t kPackEntriesMax = 131'072;         // of a pack
inline constexpr std::uint64_t kPackContentBytesMax = 64u << 20;  // of all entries of a pack

// "packs/<16 digits>.fardel"
std::string pack_file_name(std::uint64_t number);

struct PackedFile {
    BundledFile bytes;
    std::uint64_t pack = 0;    // its number
    std::int64_t used_ns = 0;  // of the pack, when it was listed or this process marked it last
};

struct BundledEntry {
    Hash id;
    BundledFile bytes;
};
// Returns the records or objects of a pack by name. Errors: limit (more than kPackEntriesMax), those of Bundle.
Result<std::vector<BundledEntry>> list_bundled(const std::shared_ptr<const Bundle>& bundle, CacheFileKind kind);

// Whether the error says that a file or a pack has wrong bytes, not that it could not be read.
bool is_broken_content(const Error& error);

enum class BrokenPacks : bool { kept, removed };

class CachePacks {
public:
    // `broken`: what happens to packs whose tables are found broken.
    CachePacks(FilePath root, BrokenPacks broken);
    ~CachePacks();

    std::optional<PackedFile> find(CacheFileKind kind, const Hash& id);
    // Returns the number of the pack with this record or object if that is broken.
    std::optional<std::uint64_t> find_broken(CacheFileKind kind, const Hash& id);
    // A pack was marked as used.
    void note_use(std::uint64_t number, std::int64_t used_ns);
    // Lists the packs again at the next look-up.
    void look_again();

    // The numbers of all packs, the newest first. Errors: denied, io, unreachable.
    Result<std::vector<std::uint64_t>> list_numbers() const;
    // Errors: those of opening a file, those of Bundle.
    Result<std::shared_ptr<const Bundle>> open(std::uint64_t number) const;

private:
    struct Pack;
    using Packs = std::vector<std::shared_ptr<Pack>>;  // the newest first

    std::shared_ptr<const Packs> current();
    std::shared_ptr<const Packs> looked_at_lately();  // nullptr: none
    std::optional<PackedFile> find(const Packs& packs, CacheFileKind kind, const Hash& id) const;
    Result<std::shared_ptr<const Packs>> list() const;
    void leave_out(Pack& pack, const Error& error) const;

    const FilePath root_;
    const BrokenPacks broken_;
    const std::shared_ptr<BlockCache> blocks_;
    std::mutex mutex_;
    std::shared_ptr<const Packs> packs_;  // nullptr: to be listed
    std::chrono::steady_clock::time_point looked_at_;
    PathStamp listed_;  // of the folder, from before it was listed
};

}  // namespace fardel
