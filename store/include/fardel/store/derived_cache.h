// DerivedCache: layers in order, asked one after another, seen as one. docs/derived-cache.md is the manual.
//
// A hit is a record and all its outputs, every byte checked against its asset id; anything less is a miss. What is
// found in a lower layer is filled into the upper ones; what is written goes to the first writable layer before put()
// returns, and to the others behind the caller's back. A layer that fails or is slow is left out, and the statistics
// tell. From any thread.
#pragma once

#include <fardel/format/bundle_plan.h>
#include <fardel/format/result.h>
#include <fardel/store/cache_layer.h>
#include <fardel/store/cache_record.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fardel {

struct CacheLayerPolicy {
    bool read = true;
    bool write = true;                      // of what jobs give
    bool fill = true;                       // with what lower layers gave
    std::chrono::milliseconds slow{2'000};  // this long on average of the last few answers: it is left out from then on
};

struct CacheLayerPlace {
    std::unique_ptr<CacheLayer> layer;
    CacheLayerPolicy policy;
};

struct CacheOptions {
    std::uint32_t verify_per_1000 = 0;               // of hits that say `verify`; which ones, their keys decide
    std::uint32_t corrupt_per_1000 = 0;              // for tests: of answers of layers that are changed on the way
    std::size_t write_behind_bytes_max = 64u << 20;  // waiting; beyond that put() waits
};

struct CacheHit {
    CacheRecord record;
    std::vector<std::shared_ptr<const BlobSource>> outputs;  // one a record's output; live as long as the cache
    std::string layer;                                       // where it was found
    bool verify = false;  // run the job all the same, and give report_verified() its verdict
};

struct CacheLayerStatistics {
    std::string name;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t broken = 0;  // records and objects that were refused
    std::uint64_t errors = 0;
    std::uint64_t records_written = 0;
    std::uint64_t objects_written = 0;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t filled = 0;  // records that came from lower layers
    std::chrono::microseconds waited{0};
    std::string left_out;  // why it is asked no more; empty: it is
};

struct CacheStatistics {
    std::vector<CacheLayerStatistics> layers;
    std::uint64_t verified = 0;
    std::uint64_t verified_differently = 0;  // the job gave other bytes than the record: it is not deterministic
};

class DerivedCache {
public:
    // At least one layer that is written. Error: malformed.
    static Result<std::unique_ptr<DerivedCache>> open(std::vector<CacheLayerPlace> layers, CacheOptions options = {});
    ~DerivedCache();  // waits for what is being written, then gives up the rest
    DerivedCache(const DerivedCache&) = delete;
    DerivedCache& operator=(const DerivedCache&) = delete;

    // Nothing: a miss, for whatever reason.
    std::optional<CacheHit> find(const BuildKey& key);
    // `outputs`: one a record's output. Returns blobs that outlive theirs: those of the first written layer. Errors:
    // those of that layer, corrupt (an output is not what the record says), and those of the outputs; nothing is
    // visible then.
    Result<std::vector<std::shared_ptr<const BlobSource>>> put(
        const CacheRecord& record, std::span<const std::shared_ptr<const BlobSource>> outputs);
    void report_verified(bool as_recorded);

    // Waits until what was put is in every layer that takes it, or was given up.
    void flush();
    CacheStatistics statistics() const;

private:
    class State;
    explicit DerivedCache(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace fardel
