// The layers of a derived-data cache.
#pragma once

#include <fardel/format/result.h>
#include <fardel/store/cache_layer.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fardel {

// The least recently used goes first.
std::unique_ptr<CacheLayer> make_memory_layer(std::size_t bytes_max);

// Records at records/ab/<key>, objects at objects/ab/<asset id>, each written beside its place and renamed, not synced:
// what a power failure leaves half written is a miss. Several processes and machines may share the folder. `shared`:
// over a network, so sizes are not believed. Made when absent. Errors: denied, no_space, io, malformed (no folder, or a
// folder of something else: a cache has a file CACHEDIR.TAG that says so), unsupported (a later layout).
Result<std::unique_ptr<CacheLayer>> open_folder_layer(const std::string& folder, bool shared = false);

// A bundle that export_cache_bundle made. Errors: those of opening a bundle.
Result<std::unique_ptr<CacheLayer>> open_bundle_layer(const std::string& bundle);

struct HttpLayerOptions {
    bool writable = true;
    std::chrono::milliseconds timeout{
        10'000};  // of one request, from first to last byte, and a second more for each 4 MiB
    std::uint64_t object_bytes_max = std::uint64_t(4) << 30;
    std::string bearer_token;  // sent to this server alone
};
// GET, HEAD and PUT below `url` (http or https), as nginx's DAV and the like take them; redirects are not followed.
// What comes is compared with its hash, and asked for once more, past caches on the way, when it is not right. Error:
// malformed (the URL: another scheme, no host, a user, a query or a fragment in it; the token).
Result<std::unique_ptr<CacheLayer>> open_http_layer(const std::string& url, HttpLayerOptions options = {});

struct CacheTrim {
    std::uint64_t bytes_max = std::uint64_t(20) << 30;
    std::chrono::hours unused_for{24 * 30};
    std::chrono::minutes keep_younger_than{60};     // never removed: a build may be using it
    std::uint32_t removals_per_second_max = 2'000;  // so that others on the disk notice nothing
};
struct CacheTrimmed {
    std::uint64_t files_seen = 0;
    std::uint64_t files_removed = 0;
    std::uint64_t bytes_removed = 0;
    std::uint64_t bytes_left = 0;
};
// Of a folder layer: what has not been used for long, then the least recently used. Several may trim at once. Errors:
// missing, denied, io, malformed (no cache's folder), cancelled.
Result<CacheTrimmed> trim_cache_folder(const std::string& folder, const CacheTrim& trim, std::stop_token stop = {});

struct CacheFolderReport {
    std::uint64_t records = 0;
    std::uint64_t objects = 0;
    std::uint64_t record_bytes = 0;
    std::uint64_t object_bytes = 0;
    std::uint64_t unfinished = 0;  // of writers that were killed or are still at it
    std::uint64_t unfinished_bytes = 0;
    std::uint64_t incomplete = 0;  // whole records, some objects of which are not there (any more)
    std::uint64_t removed = 0;
    std::vector<std::string> broken;  // below the folder: "objects/ab/<asset id>"
};
struct CacheCheck {
    bool read = true;     // every byte; else files are only counted, and nothing is broken
    bool remove = false;  // what is broken
    std::stop_token stop;
    std::function<void(const CacheFolderReport&)> progress;  // after each file, on the caller's thread
};
// Of a folder layer; looking at it is no use that trimming would see. Errors: missing, denied, io, malformed,
// cancelled.
Result<CacheFolderReport> check_cache_folder(const std::string& folder, const CacheCheck& check);

// A bundle of all that the folder layer holds and that is whole: what a build farm ships.
struct CacheExport {
    std::uint64_t records = 0;
    std::uint64_t objects = 0;
    std::uint64_t broken = 0;  // records left out: they, or something that they name, are not whole
};
// Errors: those of opening the folder, of stage_file and of write_bundle.
Result<CacheExport> export_cache_bundle(const std::string& folder, const std::string& bundle);

}  // namespace fardel
