// The kinds of layers of a derived-data cache, and the upkeep of its folders.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_layer.h>
#include <fardel/format/ids.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

class Bundle;

// Removes the least recently used entries first.
std::unique_ptr<CacheLayer> make_memory_layer(std::size_t bytes_max);

// Keeps records at records/ab/<key> and objects at objects/ab/<asset id>. Files are written under a temporary name,
// then renamed, and not synced: a file that a power failure left incomplete is a miss. Several processes and machines
// may share the folder. `shared` means that it is on a network, so that file sizes may be outdated. Creates the folder
// if it does not exist. Errors: denied, no_space, io, malformed (not a folder, or not a cache: a cache contains a file
// CACHEDIR.TAG that says so), unsupported (a later layout).
Result<std::unique_ptr<CacheLayer>> open_folder_layer(const std::string& folder, bool shared = false);

// Reads a bundle from export_cache_bundle(). Errors: those of opening a bundle.
Result<std::unique_ptr<CacheLayer>> open_bundle_layer(const std::string& bundle);
// The same of a bundle that is open.
std::unique_ptr<CacheLayer> make_bundle_layer(std::shared_ptr<const Bundle> bundle);

struct HttpLayerOptions {
    bool writable = true;
    // For one request, from first to last byte; a second more for each 4 MiB.
    std::chrono::milliseconds timeout{10'000};
    std::uint64_t object_bytes_max = std::uint64_t(4) << 30;
    std::string bearer_token;  // sent to no other server
};
// Uses GET, HEAD and PUT below `url` (http or https), as nginx with DAV understands them. Does not follow redirects.
// Compares received bytes with their hash; if they differ, requests them once more without caches on the way. Errors:
// malformed (the token; or the URL: another scheme, no host, or with a user, query or fragment), missing (libcurl is
// not installed).
Result<std::unique_ptr<CacheLayer>> open_http_layer(const std::string& url, HttpLayerOptions options = {});

struct CacheTrimOptions {
    std::uint64_t bytes_max = std::uint64_t(20) << 30;
    std::chrono::hours unused_for{24 * 30};
    std::chrono::minutes keep_younger_than{60};     // never removed, because the next build is going to use it
    std::uint32_t removals_per_second_max = 2'000;  // to leave the disk responsive
    // Stops after about so long. If the folder could not even be listed until then, what was listed is trimmed to its
    // share of `bytes_max`.
    std::chrono::milliseconds time_max = std::chrono::hours(24);
    std::chrono::minutes again_after{0};  // does nothing if the last whole trim is younger than this
    // Moves small files into packs, if there are many. Not for a folder whose files another program gives out.
    bool packs = false;
};
struct CacheTrimReport {
    std::uint64_t files_seen = 0;
    std::uint64_t files_removed = 0;
    std::uint64_t files_packed = 0;
    std::uint64_t bytes_removed = 0;
    std::uint64_t bytes_left = 0;  // of the files seen
    bool is_complete = true;       // false: `time_max` was over, and the next trim goes on
};
// Removes files of a folder layer: first those unused for too long, then the least recently used until the rest fits;
// never what a running build of any process or machine uses. Several programs may trim at once. Errors: missing,
// denied, io, malformed (not the folder of a cache), unsupported (the file system has no locks), busy, cancelled.
Result<CacheTrimReport> trim_cache_folder(const std::string& folder, const CacheTrimOptions& trim,
                                          std::stop_token stop = {});

struct CacheFolderReport {
    std::uint64_t records = 0;  // with those in packs
    std::uint64_t objects = 0;
    std::uint64_t record_bytes = 0;
    std::uint64_t object_bytes = 0;
    std::uint64_t packs = 0;
    std::uint64_t pack_bytes = 0;
    std::uint64_t unfinished = 0;  // files of writers that were killed or are still writing
    std::uint64_t unfinished_bytes = 0;
    std::uint64_t incomplete = 0;                       // intact records of which some objects are missing
    std::map<PublicKey, std::uint64_t> signed_records;  // intact records with a valid signature, by signer
    std::uint64_t removed = 0;
    std::vector<std::string> broken;  // paths below the folder, such as "objects/ab/<asset id>"
};
struct CacheCheckOptions {
    bool read = true;     // reads every byte; otherwise files are only counted, and none is broken
    bool remove = false;  // removes broken files
    std::stop_token stop;
    std::function<void(const CacheFolderReport&)> progress;  // after each file, on the caller's thread
};
// Checks a folder layer. This does not count as use for trimming. Errors: missing, denied, io, malformed, cancelled.
Result<CacheFolderReport> check_cache_folder(const std::string& folder, const CacheCheckOptions& check);

struct CacheExportReport {
    std::uint64_t records = 0;
    std::uint64_t objects = 0;
    std::uint64_t broken = 0;  // records left out because they or their objects are broken
};
// Writes all intact records of a folder layer and their objects to a bundle, for distribution by a build farm. Errors:
// those of opening the folder, of stage_file() and of write_bundle().
Result<CacheExportReport> export_cache_bundle(const std::string& folder, const std::string& bundle);

}  // namespace fardel
