// DerivedCache: several cache layers that act as one cache of derived data. docs/derived-cache.md is the manual.
//
// A hit is a record and all its outputs, each byte of them checked against the asset id; anything less is a miss.
// Layers are asked in order. What a lower layer has is copied to the upper ones. What is put is written to the first
// writable layer before put() returns, and to the others later, on a thread of the cache. A layer that fails or is slow
// is no longer used; the statistics report why. From any thread.
//
// A *note* is a record without outputs that the packer keeps per layer: it is read from one layer, and never copied to
// another one by the cache.
#pragma once

#include <fardel/base/result.h>
#include <fardel/cache/cache_layer.h>
#include <fardel/cache/cache_statistics.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/signer.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
    // If not empty, only records that one of these keys has signed are used, and only such are written.
    std::vector<PublicKey> signers = {};
    // Whether what is found here may be copied to layers with this flag. A build that trusts a layer for one project
    // alone must not carry what it has to all others.
    bool vouched = false;
};

struct CacheLayerSlot {
    std::unique_ptr<CacheLayer> layer;
    std::string name = {};  // for people
    CacheLayerPolicy policy = {};
};

struct CacheOptions {
    std::uint32_t verify_per_1000 = 0;               // of hits that have `verify` set; the key decides which,
    std::uint32_t verify_seed = 0;                   // and this number
    std::size_t write_behind_bytes_max = 64u << 20;  // waiting to be written; above it put() waits
    std::shared_ptr<Signer> signer = {};             // signs every record that is put; nullptr: records are unsigned
};

class DerivedCache {
public:
    // Needs at least one layer that is written. Error: malformed.
    static Result<std::unique_ptr<DerivedCache>> open(std::vector<CacheLayerSlot> layers, CacheOptions options = {});
    ~DerivedCache();  // waits for the write in progress, and drops those that wait
    DerivedCache(const DerivedCache&) = delete;
    DerivedCache& operator=(const DerivedCache&) = delete;

    // Announces the keys of the following calls of find() and find_note(). A server is asked once for all keys that no
    // layer before it has. Only a hint.
    void expect(std::vector<BuildKey> keys);
    // Nothing: a miss, for whatever reason.
    std::optional<CacheHit> find(const BuildKey& key);
    // `outputs` has one blob per output of the record. Returns the blobs of the first written layer, which stay valid
    // after those in `outputs`. Errors: those of that layer, corrupt (an output differs from the record), those of the
    // outputs and of the signer. After an error nothing is visible in the cache.
    Result<std::vector<std::shared_ptr<const BlobSource>>> put(
        const CacheRecord& record, std::span<const std::shared_ptr<const BlobSource>> outputs);
    void report_verified(bool as_recorded);

    std::size_t layer_count() const;
    // Returns the text of the note that this layer alone has; nothing if it has none, or is not read.
    std::optional<std::string> find_note(std::size_t layer, const BuildKey& key);
    enum class NoteOrigin : std::uint8_t { job, lower_layer };
    // Writes a note to this layer alone, if its policy permits that: `write` for a job, `fill` for a lower layer. The
    // first layer has it when this returns, the others later. Errors: those of the signer.
    Status put_note(std::size_t layer, const BuildKey& key, std::string text, NoteOrigin origin);
    // Whether put_note() may repeat text from the layer's note. False if this cache would then sign text that nobody
    // whom it trusts has signed.
    bool may_repeat_note(std::size_t layer) const;
    // Whether what the layer `from` has may be written to the layer `to`: CacheLayerPolicy::vouched.
    bool may_copy(std::size_t from, std::size_t to) const;
    // Counts a note of the layer that the packer refused.
    void report_refused(std::size_t layer, std::string_view reason);

    // Waits until everything that was put is in each layer that accepts it, or has failed there.
    void flush();
    CacheStatistics statistics() const;

private:
    class State;
    explicit DerivedCache(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace fardel
