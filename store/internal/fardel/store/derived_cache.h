// DerivedCache: several cache layers that act as one cache of derived data. docs/derived-cache.md is the manual.
//
// A hit is a record and all its outputs, each byte of them checked against the asset id; anything less is a miss.
// Layers are asked in order. What a lower layer has is copied to the upper ones. What is put is written to the first
// writable layer before put() returns, and to the others later, on a thread of the cache. A layer that fails or is slow
// is no longer used; the statistics report why. From any thread.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/store/cache_layer.h>
#include <fardel/store/cache_statistics.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct CacheHit;     // cache_hit.h
struct CacheRecord;  // cache_record.h

struct CacheLayerPolicy {
    bool read = true;
    bool write = true;  // the results of jobs
    bool fill = true;   // what lower layers had
    std::chrono::milliseconds slow{
        2'000};  // if the last few answers took longer on average, the layer is not used again
};

struct CacheLayerSlot {
    std::unique_ptr<CacheLayer> layer;
    CacheLayerPolicy policy = {};
};

struct CacheOptions {
    std::uint32_t verify_per_1000 = 0;               // of hits that have `verify` set; the key decides which
    std::size_t write_behind_bytes_max = 64u << 20;  // waiting to be written; above it put() waits
};

class DerivedCache {
public:
    // Needs at least one layer that is written. Error: malformed.
    static Result<std::unique_ptr<DerivedCache>> open(std::vector<CacheLayerSlot> layers, CacheOptions options = {});
    ~DerivedCache();  // waits for the write in progress, and drops those that wait
    DerivedCache(const DerivedCache&) = delete;
    DerivedCache& operator=(const DerivedCache&) = delete;

    // Nothing: a miss, for whatever reason.
    std::optional<CacheHit> find(const BuildKey& key);
    // `outputs` has one blob per output of the record. Returns the blobs of the first written layer, which stay valid
    // after those in `outputs`. Errors: those of that layer, corrupt (an output differs from the record), and those of
    // the outputs. After an error nothing is visible in the cache.
    Result<std::vector<std::shared_ptr<const BlobSource>>> put(
        const CacheRecord& record, std::span<const std::shared_ptr<const BlobSource>> outputs);
    void report_verified(bool as_recorded);

    // Waits until everything that was put is in each layer that accepts it, or has failed there.
    void flush();
    CacheStatistics statistics() const;

private:
    class State;
    explicit DerivedCache(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace fardel
