// CacheQueue: derived data for programs that make them themselves, such as an editor: a DerivedCache that is asked on
// threads, by priority. docs/derived-cache.md, "The cache as a library".
//
// A key is what its maker says about the bytes: a plug-in, its version, its parameters and its inputs. Requests of the
// same key at the same time are one look-up and at most one build. What was asked for or put is written to a boot file
// at the end, from which the next start reads it at once. From any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_statistics.h>
#include <fardel/format/ids.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// Everything that the bytes depend on.
struct CacheKeyParts {
    std::string_view plugin;   // who makes the bytes, 1 to 255 bytes; statistics are kept per plug-in
    std::string_view version;  // of the plug-in, at most 255 bytes
    std::span<const std::byte> parameters = {};
    std::span<const AssetId> inputs = {};  // in the plug-in's order
};
inline constexpr std::size_t kCacheKeyTextBytesMax = 255;
inline constexpr std::size_t kCacheKeyInputsMax = std::size_t(1) << 20;
inline constexpr std::size_t kCachePluginsMax = 4'096;  // of one queue

// A hash of all parts, each with its length: the same on every system. Errors: malformed (no plug-in), limit.
Result<BuildKey> cache_key_of(const CacheKeyParts& parts);

using CacheBytes = std::shared_ptr<const std::vector<std::byte>>;
// Makes the bytes of a key. Runs on a thread of the queue, and must not wait for other requests of the queue.
using CacheBuild = std::function<Result<std::vector<std::byte>>()>;

struct CacheWish {
    int priority = 0;  // higher is sooner
    CacheBuild build;  // called if no layer has the key; empty: the request then ends with missing
};

// One request: a look-up, and perhaps a build. It stays valid after its queue is closed.
class CacheLookup {
public:
    struct State;
    explicit CacheLookup(std::shared_ptr<State> state) noexcept;  // for CacheQueue
    // Cancels, and waits for this request's build if that is running.
    ~CacheLookup();
    CacheLookup(CacheLookup&&) noexcept;
    CacheLookup& operator=(CacheLookup&&) noexcept;

    // Returns whether the request has ended. Waits for that, at most so long; milliseconds::max(): without a limit.
    bool poll(std::chrono::milliseconds wait_max = std::chrono::milliseconds(0)) const;
    // Errors: busy (not ended yet), missing, cancelled, those of the build.
    Result<CacheBytes> result() const;
    // Ends the request with cancelled, at once, unless its build is running: then it ends with that.
    void cancel();
    // Has no effect on a look-up that has begun.
    void set_priority(int priority);

private:
    std::shared_ptr<State> state_;
};

struct CacheQueueOptions {
    std::string folder = {};  // created if it does not exist; empty: none
    std::uint64_t folder_bytes_max = std::uint64_t(20) << 30;
    std::string url = {};  // of a server; empty: none
    std::string token = {};
    bool writes_to_server = true;
    // If not empty, records of the server and of bundles count only if one of these keys has signed them.
    std::vector<PublicKey> signers = {};
    std::size_t memory_bytes_max = std::size_t(256) << 20;  // 0: no memory layer
    // Read at the start as a whole, and replaced by close(). A damaged one is a cold start; empty: none.
    std::string boot_path = {};
    std::size_t boot_bytes_max = std::size_t(256) << 20;  // of what is kept for it in memory, and of the file
    unsigned threads = 4;                                 // at most 64
};

struct CachePluginStatistics {
    std::string plugin;
    std::uint64_t hits = 0;    // requests that a layer answered
    std::uint64_t misses = 0;  // requests whose keys no layer had
    std::uint64_t builds = 0;
    std::uint64_t failed_builds = 0;  // of these
    std::uint64_t found_bytes = 0;
    std::uint64_t built_bytes = 0;  // and put
    std::chrono::microseconds building{0};
};

class CacheQueue {
public:
    // Layers in this order: boot file, memory, folder, added bundles, server. Errors: malformed (nothing is written:
    // neither memory, folder nor server), busy (the system gives no thread), those of opening the folder and server.
    static Result<std::unique_ptr<CacheQueue>> open(CacheQueueOptions options);
    ~CacheQueue();  // close() without its report
    CacheQueue(const CacheQueue&) = delete;
    CacheQueue& operator=(const CacheQueue&) = delete;

    // Errors: those of cache_key_of; limit (plug-ins); cancelled (the queue is closed).
    Result<CacheLookup> get(const CacheKeyParts& parts, CacheWish wish = {});
    // The first layer that is written has the bytes when this returns, the others get them later. Errors: those of
    // get() and of that layer.
    Status put(const CacheKeyParts& parts, std::vector<std::byte> bytes);
    // Adds a bundle of `fardel cache export` as a layer that is read. Errors: those of opening a bundle.
    Status add_bundle(const std::string& path);

    CacheStatistics layer_statistics() const;
    std::vector<CachePluginStatistics> plugin_statistics() const;  // by name

    // Cancels what waits, waits for what runs, writes what was put to all layers, and then the boot file: what was
    // asked for first, up to the limit. The file that was there stays if nothing was asked for, or on error. Later
    // calls do nothing. Errors: those of writing the boot file.
    Status close();

private:
    class Impl;
    explicit CacheQueue(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
