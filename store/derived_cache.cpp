#include <fardel/store/derived_cache.h>

#include "checked_blob.h"
#include "layer_health.h"
#include "spoiled_blob.h"
#include "write_behind.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <system_error>
#include <utility>

namespace fardel {
namespace {

using Clock = std::chrono::steady_clock;
using Blobs = std::vector<std::shared_ptr<const BlobSource>>;
using CheckedBlobs = std::vector<std::shared_ptr<const CheckedBlob>>;

// What is there and no good; the layer itself does what it can.
bool tells_of_broken(const Error& error) {
    const ErrorCode code = error.code();
    return code == ErrorCode::corrupt || code == ErrorCode::malformed || code == ErrorCode::limit ||
           code == ErrorCode::unsupported || code == ErrorCode::conflict;
}

// That will be so with the next one, too.
bool is_final_refusal(const Error& error) {
    return error.code() == ErrorCode::denied || error.code() == ErrorCode::no_space ||
           error.code() == ErrorCode::untrusted;
}

std::uint64_t size_of(const CacheRecord& record) {
    return std::accumulate(record.outputs.begin(), record.outputs.end(), std::uint64_t(0),
                           [](std::uint64_t sum, const CachedOutput& output) { return sum + output.size_bytes; });
}

Blobs plain(const CheckedBlobs& blobs) { return {blobs.begin(), blobs.end()}; }

// A layer with its policy, its statistics and its health. Any thread.
class Place {
public:
    Place(CacheLayerPlace place)
        : layer_(std::move(place.layer)), policy_(place.policy), reading_(policy_.slow), writing_(policy_.slow) {
        counts_.name = layer_->name();
    }

    CacheLayer& layer() { return *layer_; }
    const CacheLayerPolicy& policy() const { return policy_; }

    bool is_read() const {
        const std::scoped_lock lock(mutex_);
        return policy_.read && !reading_.is_out();
    }
    bool is_written() const {
        const std::scoped_lock lock(mutex_);
        return layer_->is_writable() && !writing_.is_out() && !reading_.is_out();
    }

    template <class Change>
    void count(Change change) {
        const std::scoped_lock lock(mutex_);
        change(counts_);
    }
    void answered(Clock::time_point since, std::uint64_t bytes, const Error* error) {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since);
        const std::scoped_lock lock(mutex_);
        counts_.waited += took;
        const bool failed = error != nullptr && !tells_of_broken(*error) && error->code() != ErrorCode::missing;
        if (failed)
            ++counts_.errors;
        reading_.add(took, bytes, failed ? error : nullptr);
    }
    void written(Clock::time_point since, std::uint64_t bytes, const Error* error) {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since);
        const std::scoped_lock lock(mutex_);
        if (error != nullptr)
            ++counts_.errors;
        if (error != nullptr && is_final_refusal(*error))
            writing_.give_up(*error);
        const bool too_large = error != nullptr && error->code() == ErrorCode::limit;
        writing_.add(took, bytes, too_large ? nullptr : error);
    }
    CacheLayerStatistics statistics() const {
        const std::scoped_lock lock(mutex_);
        CacheLayerStatistics counts = counts_;
        if (reading_.is_out())
            counts.left_out = reading_.reason();
        else if (writing_.is_out())
            counts.left_out = "only read: " + writing_.reason();
        return counts;
    }

private:
    const std::unique_ptr<CacheLayer> layer_;
    const CacheLayerPolicy policy_;
    mutable std::mutex mutex_;
    CacheLayerStatistics counts_;
    LayerHealth reading_;
    LayerHealth writing_;
};

}  // namespace

class DerivedCache::State {
public:
    State(std::vector<CacheLayerPlace> layers, const CacheOptions& options)
        : options_(options), behind_(options.write_behind_bytes_max) {
        for (CacheLayerPlace& layer : layers)
            places_.push_back(std::make_shared<Place>(std::move(layer)));
    }

    std::optional<CacheHit> find(const BuildKey& key);
    Result<Blobs> put(const CacheRecord& record, std::span<const std::shared_ptr<const BlobSource>> outputs);
    void flush() { behind_.flush(); }
    CacheStatistics statistics() const;

    std::atomic<std::uint64_t> verified = 0;
    std::atomic<std::uint64_t> verified_differently = 0;

private:
    using SharedPlace = std::shared_ptr<Place>;
    enum class Absence : std::uint8_t { none, missing, unknown };
    struct Found {
        Absence absence = Absence::none;  // unknown: a layer that might have it did not answer
        std::size_t lowest = 0;           // of the layers that something came from
        CheckedBlobs blobs;
    };

    std::optional<CacheRecord> find_record(Place& place, const BuildKey& key);
    std::shared_ptr<const CheckedBlob> find_object(const SharedPlace& place, const CachedOutput& output,
                                                   bool may_be_spoiled, bool& answered);
    Found find_outputs(const CacheRecord& record);
    void fill_up(std::size_t below, const CacheRecord& record, CheckedBlobs& blobs);

    Status write_object(Place& place, const CachedOutput& output, const CheckedBlob& blob);
    Status write_record(Place& place, const CacheRecord& record, std::span<const std::byte> bytes);
    Result<std::optional<CheckedBlobs>> keep(const SharedPlace& place, const CacheRecord& record,
                                             std::span<const std::byte> bytes, const CheckedBlobs& blobs);
    void write_behind(std::vector<SharedPlace> places, const CacheRecord& record, std::vector<std::byte> bytes,
                      const CheckedBlobs& blobs, bool fills);
    bool is_spoiled();
    bool is_chosen_to_verify(const BuildKey& key) const;

    const CacheOptions options_;
    std::vector<SharedPlace> places_;
    std::atomic<std::uint64_t> answers_ = 0;
    WriteBehind behind_;  // last: what it does uses the rest
};

// ---- Finding --------------------------------------------------------------------------------------------------------

bool DerivedCache::State::is_spoiled() {
    if (options_.corrupt_per_1000 == 0)
        return false;
    std::uint64_t number = ++answers_ * 0x9e3779b97f4a7c15;  // spread, and the same in each run of one thread
    number ^= number >> 32;
    return number % 1000 < options_.corrupt_per_1000;
}

bool DerivedCache::State::is_chosen_to_verify(const BuildKey& key) const {
    const std::uint32_t number = key.bytes[28] | std::uint32_t(key.bytes[29]) << 8 |
                                 std::uint32_t(key.bytes[30]) << 16 | std::uint32_t(key.bytes[31]) << 24;
    return number % 1000 < options_.verify_per_1000;
}

std::optional<CacheRecord> DerivedCache::State::find_record(Place& place, const BuildKey& key) {
    const auto since = Clock::now();
    auto found = place.layer().find_record(key);
    place.answered(since, found && *found ? (*found)->size() : 0, found ? nullptr : &found.error());
    const bool broken = !found && tells_of_broken(found.error());
    if (!broken && (!found || !*found))
        return std::nullopt;
    if (!broken) {
        if (is_spoiled())
            spoil(**found, answers_);
        place.count([&](CacheLayerStatistics& counts) { counts.bytes_read += (*found)->size(); });
        if (auto record = decode_cache_record(key, **found))
            return *std::move(record);
    }
    place.count([](CacheLayerStatistics& counts) { ++counts.broken; });
    place.layer().drop_record(key);
    return std::nullopt;
}

// The blob has been read whole and is right. `answered`: false when the layer could not say whether it has it.
std::shared_ptr<const CheckedBlob> DerivedCache::State::find_object(const SharedPlace& place,
                                                                    const CachedOutput& output, bool may_be_spoiled,
                                                                    bool& answered) {
    const auto since = Clock::now();
    const auto drop = [place, asset = output.asset] {
        place->count([](CacheLayerStatistics& counts) { ++counts.broken; });
        place->layer().drop_object(asset);
    };
    auto found = place->layer().find_object(output.asset, output.size_bytes);
    if (!found) {
        place->answered(since, 0, &found.error());
        if (tells_of_broken(found.error()))
            drop();
        else
            answered = false;
        return nullptr;
    }
    if (!*found) {
        place->answered(since, 0, nullptr);
        return nullptr;
    }
    if (may_be_spoiled && is_spoiled())
        found = make_spoiled_blob(*std::move(found));
    auto blob = std::make_shared<const CheckedBlob>(*std::move(found), output.asset, output.size_bytes, drop);
    const Status whole = blob->verify();
    place->answered(since, output.size_bytes, whole ? nullptr : &whole.error());
    if (!whole) {
        answered = answered && (tells_of_broken(whole.error()) || whole.error().code() == ErrorCode::missing);
        return nullptr;
    }
    place->count([&](CacheLayerStatistics& counts) { counts.bytes_read += output.size_bytes; });
    return blob;
}

// Each from the first layer that has it, whichever has the record.
DerivedCache::State::Found DerivedCache::State::find_outputs(const CacheRecord& record) {
    Found found;
    bool answered = true;
    for (const CachedOutput& output : record.outputs) {
        std::shared_ptr<const CheckedBlob> blob;
        for (std::size_t i = 0; i < places_.size() && !blob; ++i) {
            if (!places_[i]->is_read())
                continue;
            blob = find_object(places_[i], output, true, answered);
            found.lowest = std::max(found.lowest, i);
        }
        if (!blob) {
            found.absence = answered ? Absence::missing : Absence::unknown;
            return found;
        }
        found.blobs.push_back(std::move(blob));
    }
    return found;
}

std::optional<CacheHit> DerivedCache::State::find(const BuildKey& key) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
        Place& place = *places_[i];
        if (!place.is_read())
            continue;
        auto record = find_record(place, key);
        Found found;
        if (record)
            found = find_outputs(*record);
        if (!record || found.absence != Absence::none) {
            place.count([](CacheLayerStatistics& counts) { ++counts.misses; });
            if (record && found.absence == Absence::missing)
                place.layer().drop_record(key);
            continue;
        }
        place.count([](CacheLayerStatistics& counts) { ++counts.hits; });
        fill_up(std::max(i, found.lowest), *record, found.blobs);
        return CacheHit{.record = *std::move(record),
                        .outputs = plain(found.blobs),
                        .layer = place.statistics().name,
                        .verify = is_chosen_to_verify(key)};
    }
    return std::nullopt;
}

// The upper layers get what a lower one gave; the first of them that keeps it has it at once, and gives the blobs.
void DerivedCache::State::fill_up(std::size_t below, const CacheRecord& record, CheckedBlobs& blobs) {
    std::vector<SharedPlace> others;
    std::vector<std::byte> bytes;
    bool kept = false;
    for (std::size_t i = 0; i < below; ++i) {
        const SharedPlace& place = places_[i];
        if (!place->policy().fill || !place->is_written())
            continue;
        if (bytes.empty()) {
            auto encoded = encode_cache_record(record);
            if (!encoded)
                return;
            bytes = *std::move(encoded);
        }
        if (kept) {
            others.push_back(place);
            continue;
        }
        auto there = keep(place, record, bytes, blobs);
        if (!there || !*there)
            continue;
        kept = true;
        blobs = **std::move(there);
        place->count([](CacheLayerStatistics& counts) { ++counts.filled; });
    }
    write_behind(std::move(others), record, std::move(bytes), blobs, true);
}

// ---- Writing --------------------------------------------------------------------------------------------------------

Status DerivedCache::State::write_object(Place& place, const CachedOutput& output, const CheckedBlob& blob) {
    const auto since = Clock::now();
    Status written = place.layer().write_object(output.asset, output.size_bytes, blob);
    if (!written && blob.has_failed())
        return written;  // not the layer's fault
    place.written(since, output.size_bytes, written ? nullptr : &written.error());
    if (written)
        place.count([&](CacheLayerStatistics& counts) {
            ++counts.objects_written;
            counts.bytes_written += output.size_bytes;
        });
    return written;
}

Status DerivedCache::State::write_record(Place& place, const CacheRecord& record, std::span<const std::byte> bytes) {
    const auto since = Clock::now();
    Status written = place.layer().write_record(record.key, bytes);
    place.written(since, bytes.size(), written ? nullptr : &written.error());
    if (written)
        place.count([&](CacheLayerStatistics& counts) {
            ++counts.records_written;
            counts.bytes_written += bytes.size();
        });
    return written;
}

// Objects, then the record, and what the layer gives back of them; nothing: it has not kept everything.
Result<std::optional<CheckedBlobs>> DerivedCache::State::keep(const SharedPlace& place, const CacheRecord& record,
                                                              std::span<const std::byte> bytes,
                                                              const CheckedBlobs& blobs) {
    CheckedBlobs kept;
    for (std::size_t i = 0; i < record.outputs.size(); ++i) {
        const CachedOutput& output = record.outputs[i];
        bool answered = true;
        auto there =
            find_object(place, output, false, answered);  // which drops a broken one, so that it is written again
        if (!there) {
            FARDEL_TRY(write_object(*place, output, *blobs[i]));
            there = find_object(place, output, false, answered);
        }
        if (!there)
            return std::optional<CheckedBlobs>();
        kept.push_back(std::move(there));
    }
    FARDEL_TRY(write_record(*place, record, bytes));
    return std::optional<CheckedBlobs>(std::move(kept));
}

void DerivedCache::State::write_behind(std::vector<SharedPlace> places, const CacheRecord& record,
                                       std::vector<std::byte> bytes, const CheckedBlobs& blobs, bool fills) {
    if (places.empty())
        return;
    const std::uint64_t cost = size_of(record) + bytes.size();
    auto work = [this, places = std::move(places), record, bytes = std::move(bytes), blobs, fills] {
        for (const SharedPlace& place : places) {
            bool whole = true;
            for (std::size_t i = 0; i < blobs.size() && whole; ++i)
                whole = place->is_written() && write_object(*place, record.outputs[i], *blobs[i]);
            if (!whole || !place->is_written() || !write_record(*place, record, bytes))
                continue;
            if (fills)
                place->count([](CacheLayerStatistics& counts) { ++counts.filled; });
        }
    };
    if (fills)
        static_cast<void>(behind_.try_add(cost, std::move(work)));  // another hit will fill it
    else
        behind_.add(cost, std::move(work));
}

Result<Blobs> DerivedCache::State::put(const CacheRecord& record,
                                       std::span<const std::shared_ptr<const BlobSource>> outputs) {
    if (outputs.size() != record.outputs.size())
        return Error(ErrorCode::malformed, "cache record: " + std::to_string(record.outputs.size()) +
                                               " outputs, and bytes of " + std::to_string(outputs.size()));
    FARDEL_TRY_ASSIGN(std::vector<std::byte> bytes, encode_cache_record(record));
    CheckedBlobs given;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        given.push_back(
            std::make_shared<const CheckedBlob>(outputs[i], record.outputs[i].asset, record.outputs[i].size_bytes));

    std::optional<Error> first_error;
    for (std::size_t i = 0; i < places_.size(); ++i) {
        if (!places_[i]->policy().write || !places_[i]->is_written())
            continue;
        auto kept = keep(places_[i], record, bytes, given);
        if (!kept && std::ranges::any_of(given, [](const auto& blob) { return blob->has_failed(); }))
            return std::move(kept).error();
        if (!kept && !first_error)
            first_error = std::move(kept).error();
        if (!kept || !*kept)
            continue;
        std::vector<SharedPlace> others;
        std::copy_if(places_.begin(), places_.end(), std::back_inserter(others), [&](const SharedPlace& place) {
            return place != places_[i] && place->policy().write && place->is_written();
        });
        write_behind(std::move(others), record, std::move(bytes), **kept, false);
        return plain(**kept);
    }
    return first_error
               ? *std::move(first_error)
               : Error(ErrorCode::unreachable, "no layer of the cache takes what was made; its statistics tell why");
}

CacheStatistics DerivedCache::State::statistics() const {
    CacheStatistics statistics;
    for (const SharedPlace& place : places_)
        statistics.layers.push_back(place->statistics());
    statistics.verified = verified;
    statistics.verified_differently = verified_differently;
    return statistics;
}

// ---- The face -------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<DerivedCache>> DerivedCache::open(std::vector<CacheLayerPlace> layers, CacheOptions options) {
    if (std::ranges::none_of(
            layers, [](const CacheLayerPlace& place) { return place.layer->is_writable() && place.policy.write; }))
        return Error(ErrorCode::malformed, "a cache needs a layer that is written");
    try {
        return std::unique_ptr<DerivedCache>(new DerivedCache(std::make_unique<State>(std::move(layers), options)));
    } catch (const std::system_error&) {
        return Error(ErrorCode::busy, "no thread is to be had");
    }
}

DerivedCache::DerivedCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
DerivedCache::~DerivedCache() = default;

std::optional<CacheHit> DerivedCache::find(const BuildKey& key) { return state_->find(key); }

Result<Blobs> DerivedCache::put(const CacheRecord& record, std::span<const std::shared_ptr<const BlobSource>> outputs) {
    return state_->put(record, outputs);
}

void DerivedCache::report_verified(bool as_recorded) {
    ++state_->verified;
    if (!as_recorded)
        ++state_->verified_differently;
}

void DerivedCache::flush() { state_->flush(); }
CacheStatistics DerivedCache::statistics() const { return state_->statistics(); }

}  // namespace fardel
