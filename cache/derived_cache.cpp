#include <fardel/cache/derived_cache.h>

#include "checked_blob.h"
#include "layer_health.h"
#include "write_behind.h"

#include <fardel/cache/cache_hit.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <utility>

namespace fardel {
namespace {

using LayerClock = std::chrono::steady_clock;
using Blobs = std::vector<std::shared_ptr<const BlobSource>>;
using CheckedBlobs = std::vector<std::shared_ptr<const CheckedBlob>>;

// Whether the layer has the data but they are broken. That is no failure of the layer.
bool is_about_broken_data(const Error& error) {
    const ErrorCode code = error.code();
    return code == ErrorCode::corrupt || code == ErrorCode::malformed || code == ErrorCode::limit ||
           code == ErrorCode::unsupported || code == ErrorCode::conflict;
}

// Whether the next write would fail for the same reason.
bool is_final_refusal(const Error& error) {
    return error.code() == ErrorCode::denied || error.code() == ErrorCode::no_space ||
           error.code() == ErrorCode::untrusted;
}

std::uint64_t size_of(const CacheRecord& record) {
    return std::accumulate(record.outputs.begin(), record.outputs.end(), std::uint64_t(0),
                           [](std::uint64_t sum, const CachedOutput& output) { return sum + output.size_bytes; });
}

Blobs plain(const CheckedBlobs& blobs) { return {blobs.begin(), blobs.end()}; }

// A layer with its policy, statistics and health. Any thread.
class LayerSlot {
public:
    LayerSlot(CacheLayerSlot slot)
        : layer_(std::move(slot.layer)), policy_(slot.policy), reading_(policy_.slow), writing_(policy_.slow) {
        counts_.layer = std::move(slot.name);
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
    void record_read(LayerClock::time_point since, std::uint64_t bytes, const Error* error) {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(LayerClock::now() - since);
        const std::scoped_lock lock(mutex_);
        counts_.waited += took;
        const bool failed = error != nullptr && !is_about_broken_data(*error) && error->code() != ErrorCode::missing;
        if (failed)
            count_error(*error);
        reading_.add(took, bytes, failed ? error : nullptr);
    }
    void refuse(std::string_view reason) {
        const std::scoped_lock lock(mutex_);
        reading_.add_refusal(reason);
    }
    // Whether the layer's readers may use the record: they refuse records without the signatures that the policy wants.
    bool accepts(const CacheRecord& record) const {
        return policy_.signers.empty() || verify_cache_record(record, policy_.signers);
    }
    // `written`: the counter of what was written.
    void record_write(LayerClock::time_point since, std::uint64_t bytes, const Status& outcome,
                      std::uint64_t CacheLayerStatistics::*written) {
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(LayerClock::now() - since);
        const std::scoped_lock lock(mutex_);
        if (outcome) {
            ++(counts_.*written);
            counts_.bytes_written += bytes;
            return writing_.add(took, bytes, nullptr);
        }
        const Error& error = outcome.error();
        count_error(error);
        if (is_final_refusal(error))
            writing_.give_up(error);
        writing_.add(took, bytes,
                     error.code() == ErrorCode::limit ? nullptr : &error);  // limit: only this is too large
    }
    CacheLayerStatistics statistics() const {
        const std::scoped_lock lock(mutex_);
        CacheLayerStatistics counts = counts_;
        counts.refused = reading_.refused();
        counts.refusal = reading_.first_refusal();
        if (reading_.is_out())
            counts.left_out = reading_.reason();
        else if (writing_.is_out())
            counts.left_out = "no longer written: " + writing_.reason();
        return counts;
    }

private:
    // `mutex_` is locked.
    void count_error(const Error& error) {
        ++counts_.errors;
        counts_.error = error.text();
    }

    const std::unique_ptr<CacheLayer> layer_;
    const CacheLayerPolicy policy_;
    mutable std::mutex mutex_;
    CacheLayerStatistics counts_;
    LayerHealth reading_;
    LayerHealth writing_;
};

// Whether results of jobs are written to the layer.
bool takes_results(const LayerSlot& slot, const CacheRecord& record) {
    return slot.policy().write && slot.is_written() && slot.accepts(record);
}

}  // namespace

class DerivedCache::State {
public:
    State(std::vector<CacheLayerSlot> layers, const CacheOptions& options)
        : options_(options), behind_(options.write_behind_bytes_max) {
        for (CacheLayerSlot& layer : layers)
            slots_.push_back(std::make_shared<LayerSlot>(std::move(layer)));
    }

    void expect(std::vector<BuildKey> keys);
    std::optional<CacheHit> find(const BuildKey& key);
    Result<Blobs> put(const CacheRecord& record, std::span<const std::shared_ptr<const BlobSource>> outputs);
    std::size_t layer_count() const { return slots_.size(); }
    std::optional<std::string> find_note(std::size_t layer, const BuildKey& key);
    Status put_note(std::size_t layer, const BuildKey& key, std::string text, NoteOrigin origin);
    bool may_repeat_note(std::size_t layer) const {
        return layer == 0 || !options_.signer || !slots_[layer]->policy().signers.empty();
    }
    bool may_copy(std::size_t from, std::size_t to) const {
        return slots_[from]->policy().vouched || !slots_[to]->policy().vouched;
    }
    void report_refused(std::size_t layer, std::string_view reason) { slots_[layer]->refuse(reason); }
    void flush() { behind_.flush(); }
    CacheStatistics statistics() const;

    std::atomic<std::uint64_t> verified = 0;
    std::atomic<std::uint64_t> verified_differently = 0;

private:
    using SharedSlot = std::shared_ptr<LayerSlot>;
    enum class Absence : std::uint8_t { none, missing, unknown };
    struct Found {
        Absence absence = Absence::none;  // unknown: a layer that may have an output failed
        std::size_t lowest = 0;           // the lowest layer that was asked for an output
        CheckedBlobs blobs;
    };

    std::optional<CacheRecord> find_record(LayerSlot& slot, const BuildKey& key);
    std::shared_ptr<const CheckedBlob> find_object(const SharedSlot& slot, const CachedOutput& output, bool& answered);
    Found find_outputs(const CacheRecord& record);
    void fill_up(std::size_t below, std::size_t from, const CacheRecord& record, CheckedBlobs& blobs);

    Status write_object(LayerSlot& slot, const CachedOutput& output, const CheckedBlob& blob);
    Status write_record(LayerSlot& slot, const CacheRecord& record, std::span<const std::byte> bytes);
    Result<std::optional<CheckedBlobs>> write(const SharedSlot& slot, const CacheRecord& record,
                                              std::span<const std::byte> bytes, const CheckedBlobs& blobs);
    void write_behind(std::vector<SharedSlot> slots, const CacheRecord& record, std::vector<std::byte> bytes,
                      const CheckedBlobs& blobs, bool fills);
    bool is_chosen_to_verify(const BuildKey& key) const;
    Status sign(CacheRecord& record);

    const CacheOptions options_;
    std::mutex signer_mutex_;
    std::vector<SharedSlot> slots_;
    WriteBehind behind_;  // last, because its work uses the other members
};

// ---- Finding --------------------------------------------------------------------------------------------------------

bool DerivedCache::State::is_chosen_to_verify(const BuildKey& key) const {
    const std::uint32_t number = key.bytes[28] | std::uint32_t(key.bytes[29]) << 8 |
                                 std::uint32_t(key.bytes[30]) << 16 | std::uint32_t(key.bytes[31]) << 24;
    // The factor spreads small seeds over all bits, so that two of them choose different keys.
    return (number ^ options_.verify_seed * 0x9e3779b1u) % 1000 < options_.verify_per_1000;
}

std::optional<CacheRecord> DerivedCache::State::find_record(LayerSlot& slot, const BuildKey& key) {
    const auto since = LayerClock::now();
    auto found = slot.layer().find_record(key);
    slot.record_read(since, found && *found ? (*found)->size() : 0, found ? nullptr : &found.error());
    const bool broken = !found && is_about_broken_data(found.error());
    if (!broken && (!found || !*found))
        return std::nullopt;
    if (!broken) {
        slot.count([&](CacheLayerStatistics& counts) { counts.bytes_read += (*found)->size(); });
        if (auto record = decode_cache_record(key, **found)) {
            if (slot.policy().signers.empty())
                return *std::move(record);
            const Status trusted = verify_cache_record(*record, slot.policy().signers);
            if (trusted)
                return *std::move(record);
            slot.refuse(trusted.error().message());  // it stays: others may accept it
            return std::nullopt;
        }
    }
    slot.count([](CacheLayerStatistics& counts) { ++counts.broken; });
    slot.layer().drop_record(key);
    return std::nullopt;
}

// Returns a blob that was read completely and is intact. Sets `answered` to false if the layer failed, so that it may
// or may not have the object.
std::shared_ptr<const CheckedBlob> DerivedCache::State::find_object(const SharedSlot& slot, const CachedOutput& output,
                                                                    bool& answered) {
    const auto since = LayerClock::now();
    const auto drop = [slot, asset = output.asset] {
        slot->count([](CacheLayerStatistics& counts) { ++counts.broken; });
        slot->layer().drop_object(asset);
    };
    auto found = slot->layer().find_object(output.asset, output.size_bytes);
    if (!found) {
        slot->record_read(since, 0, &found.error());
        if (is_about_broken_data(found.error()))
            drop();
        else
            answered = false;
        return nullptr;
    }
    if (!*found) {
        slot->record_read(since, 0, nullptr);
        return nullptr;
    }
    auto blob = std::make_shared<const CheckedBlob>(*std::move(found), output.asset, output.size_bytes, drop);
    const Status whole = blob->verify();
    slot->record_read(since, output.size_bytes, whole ? nullptr : &whole.error());
    if (!whole) {
        answered = answered && (is_about_broken_data(whole.error()) || whole.error().code() == ErrorCode::missing);
        return nullptr;
    }
    slot->count([&](CacheLayerStatistics& counts) { counts.bytes_read += output.size_bytes; });
    return blob;
}

// Takes each output from the first layer that has it, which need not be the layer with the record.
DerivedCache::State::Found DerivedCache::State::find_outputs(const CacheRecord& record) {
    Found found;
    bool answered = true;
    for (const CachedOutput& output : record.outputs) {
        std::shared_ptr<const CheckedBlob> blob;
        for (std::size_t i = 0; i < slots_.size() && !blob; ++i) {
            if (!slots_[i]->is_read())
                continue;
            blob = find_object(slots_[i], output, answered);
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

void DerivedCache::State::expect(std::vector<BuildKey> keys) {
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (const auto& slot : slots_) {
        if (keys.empty())
            return;
        if (slot->is_read())
            keys = slot->layer().find_lacking(keys);
    }
}

std::optional<CacheHit> DerivedCache::State::find(const BuildKey& key) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        LayerSlot& slot = *slots_[i];
        if (!slot.is_read())
            continue;
        auto record = find_record(slot, key);
        Found found;
        if (record)
            found = find_outputs(*record);
        if (!record || found.absence != Absence::none) {
            slot.count([](CacheLayerStatistics& counts) { ++counts.misses; });
            if (record && found.absence == Absence::missing)
                // Its outputs are gone for good, and each later build would ask for them again. If a layer only did not
                // answer, the record stays.
                slot.layer().drop_record(key);
            continue;
        }
        slot.count([](CacheLayerStatistics& counts) { ++counts.hits; });
        fill_up(std::max(i, found.lowest), i, *record, found.blobs);
        return CacheHit{.record = *std::move(record),
                        .outputs = plain(found.blobs),
                        .layer = slot.statistics().name,
                        .verify = is_chosen_to_verify(key)};
    }
    return std::nullopt;
}

// Copies a hit to the layers above `below`, as far as they take records of the layer `from`. The first that stores it
// does so at once, and its blobs replace `blobs`; the others are written behind.
void DerivedCache::State::fill_up(std::size_t below, std::size_t from, const CacheRecord& record, CheckedBlobs& blobs) {
    std::vector<SharedSlot> others;
    std::vector<std::byte> bytes;
    bool kept = false;
    for (std::size_t i = 0; i < below; ++i) {
        const SharedSlot& slot = slots_[i];
        if (!slot->policy().fill || !slot->is_written() || !slot->accepts(record) || !may_copy(from, i))
            continue;
        if (bytes.empty()) {
            auto encoded = encode_cache_record(record);
            if (!encoded)
                return;
            bytes = *std::move(encoded);
        }
        if (kept) {
            others.push_back(slot);
            continue;
        }
        auto there = write(slot, record, bytes, blobs);
        if (!there || !*there)
            continue;
        kept = true;
        blobs = **std::move(there);
        slot->count([](CacheLayerStatistics& counts) { ++counts.filled; });
    }
    write_behind(std::move(others), record, std::move(bytes), blobs, true);
}

// ---- Writing --------------------------------------------------------------------------------------------------------

Status DerivedCache::State::write_object(LayerSlot& slot, const CachedOutput& output, const CheckedBlob& blob) {
    const auto since = LayerClock::now();
    Status written = slot.layer().write_object(output.asset, output.size_bytes, blob);
    if (!written && blob.has_failed())
        return written;  // the blob failed, not the layer
    slot.record_write(since, output.size_bytes, written, &CacheLayerStatistics::objects_written);
    return written;
}

Status DerivedCache::State::write_record(LayerSlot& slot, const CacheRecord& record, std::span<const std::byte> bytes) {
    const auto since = LayerClock::now();
    Status written = slot.layer().write_record(record.key, bytes);
    slot.record_write(since, bytes.size(), written, &CacheLayerStatistics::records_written);
    return written;
}

// Writes the objects, then the record, and returns the blobs that the layer has now; nothing if it did not keep them
// all.
Result<std::optional<CheckedBlobs>> DerivedCache::State::write(const SharedSlot& slot, const CacheRecord& record,
                                                               std::span<const std::byte> bytes,
                                                               const CheckedBlobs& blobs) {
    CheckedBlobs kept;
    for (std::size_t i = 0; i < record.outputs.size(); ++i) {
        const CachedOutput& output = record.outputs[i];
        bool answered = true;
        auto there = find_object(slot, output, answered);  // drops a broken one, so that it is written again
        if (!there) {
            FARDEL_TRY(write_object(*slot, output, *blobs[i]));
            there = find_object(slot, output, answered);
        }
        if (!there)
            return std::optional<CheckedBlobs>();
        kept.push_back(std::move(there));
    }
    FARDEL_TRY(write_record(*slot, record, bytes));
    return std::optional<CheckedBlobs>(std::move(kept));
}

void DerivedCache::State::write_behind(std::vector<SharedSlot> slots, const CacheRecord& record,
                                       std::vector<std::byte> bytes, const CheckedBlobs& blobs, bool fills) {
    if (slots.empty())
        return;
    const std::uint64_t cost = size_of(record) + bytes.size();
    auto work = [this, slots = std::move(slots), record, bytes = std::move(bytes), blobs, fills] {
        for (const SharedSlot& slot : slots) {
            bool whole = true;
            for (std::size_t i = 0; i < blobs.size() && whole; ++i)
                whole = slot->is_written() && write_object(*slot, record.outputs[i], *blobs[i]);
            if (!whole || !slot->is_written() || !write_record(*slot, record, bytes))
                continue;
            if (fills)
                slot->count([](CacheLayerStatistics& counts) { ++counts.filled; });
        }
    };
    if (fills)
        static_cast<void>(behind_.try_add(cost, std::move(work)));  // if there is no room, a later hit fills the layer
    else
        behind_.add(cost, std::move(work));
}

Status DerivedCache::State::sign(CacheRecord& record) {
    if (!options_.signer)
        return ok();
    const std::scoped_lock lock(signer_mutex_);
    return sign_cache_record(record, *options_.signer);
}

Result<Blobs> DerivedCache::State::put(const CacheRecord& unsigned_record,
                                       std::span<const std::shared_ptr<const BlobSource>> outputs) {
    if (outputs.size() != unsigned_record.outputs.size())
        return Error(ErrorCode::malformed, "cache record: " + std::to_string(unsigned_record.outputs.size()) +
                                               " outputs, but " + std::to_string(outputs.size()) + " blobs");
    CacheRecord record = unsigned_record;
    FARDEL_TRY(sign(record));
    FARDEL_TRY_ASSIGN(std::vector<std::byte> bytes, encode_cache_record(record));
    CheckedBlobs given;
    for (std::size_t i = 0; i < outputs.size(); ++i)
        given.push_back(
            std::make_shared<const CheckedBlob>(outputs[i], record.outputs[i].asset, record.outputs[i].size_bytes));

    std::optional<Error> first_error;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (!takes_results(*slots_[i], record))
            continue;
        auto kept = write(slots_[i], record, bytes, given);
        if (!kept && std::ranges::any_of(given, [](const auto& blob) { return blob->has_failed(); }))
            return std::move(kept).error();
        if (!kept && !first_error)
            first_error = std::move(kept).error();
        if (!kept || !*kept)
            continue;
        std::vector<SharedSlot> others;
        std::copy_if(slots_.begin(), slots_.end(), std::back_inserter(others),
                     [&](const SharedSlot& slot) { return slot != slots_[i] && takes_results(*slot, record); });
        write_behind(std::move(others), record, std::move(bytes), **kept, false);
        return plain(**kept);
    }
    return first_error
               ? *std::move(first_error)
               : Error(ErrorCode::unreachable, "no layer of the cache accepts writes; its statistics report why");
}

// ---- Notes ----------------------------------------------------------------------------------------------------------

std::optional<std::string> DerivedCache::State::find_note(std::size_t layer, const BuildKey& key) {
    LayerSlot& slot = *slots_[layer];
    if (!slot.is_read())
        return std::nullopt;
    auto record = find_record(slot, key);
    slot.count([&](CacheLayerStatistics& counts) { ++(record ? counts.hits : counts.misses); });
    if (!record || !record->outputs.empty())
        return std::nullopt;
    return std::move(record->notes);
}

Status DerivedCache::State::put_note(std::size_t layer, const BuildKey& key, std::string text, NoteOrigin origin) {
    const SharedSlot& slot = slots_[layer];
    if (!(origin == NoteOrigin::job ? slot->policy().write : slot->policy().fill) || !slot->is_written())
        return ok();
    CacheRecord record{.key = key, .notes = std::move(text)};
    FARDEL_TRY(sign(record));
    auto bytes = slot->accepts(record) ? encode_cache_record(record) : Error(ErrorCode::denied, "");
    if (!bytes)
        return ok();
    if (layer == 0)
        static_cast<void>(write_record(*slot, record, *bytes));  // its statistics report the error
    else
        write_behind({slot}, record, *std::move(bytes), {}, origin == NoteOrigin::lower_layer);
    return ok();
}

CacheStatistics DerivedCache::State::statistics() const {
    CacheStatistics statistics;
    for (const SharedSlot& slot : slots_)
        statistics.layers.push_back(slot->statistics());
    statistics.verified = verified;
    statistics.verified_differently = verified_differently;
    return statistics;
}

// ---- Interface -----------------------------------------------------------------------------------------------------

Result<std::unique_ptr<DerivedCache>> DerivedCache::open(std::vector<CacheLayerSlot> layers, CacheOptions options) {
    if (std::ranges::none_of(layers,
                             [](const CacheLayerSlot& slot) { return slot.layer->is_writable() && slot.policy.write; }))
        return Error(ErrorCode::malformed, "a cache needs a layer that is written");
    return std::unique_ptr<DerivedCache>(new DerivedCache(std::make_unique<State>(std::move(layers), options)));
}

DerivedCache::DerivedCache(std::unique_ptr<State> state) : state_(std::move(state)) {}
DerivedCache::~DerivedCache() = default;

void DerivedCache::expect(std::vector<BuildKey> keys) { state_->expect(std::move(keys)); }
std::optional<CacheHit> DerivedCache::find(const BuildKey& key) { return state_->find(key); }

Result<Blobs> DerivedCache::put(const CacheRecord& record, std::span<const std::shared_ptr<const BlobSource>> outputs) {
    return state_->put(record, outputs);
}

void DerivedCache::report_verified(bool as_recorded) {
    ++state_->verified;
    if (!as_recorded)
        ++state_->verified_differently;
}

std::size_t DerivedCache::layer_count() const { return state_->layer_count(); }

std::optional<std::string> DerivedCache::find_note(std::size_t layer, const BuildKey& key) {
    return state_->find_note(layer, key);
}

Status DerivedCache::put_note(std::size_t layer, const BuildKey& key, std::string text, NoteOrigin origin) {
    return state_->put_note(layer, key, std::move(text), origin);
}

bool DerivedCache::may_repeat_note(std::size_t layer) const { return state_->may_repeat_note(layer); }

bool DerivedCache::may_copy(std::size_t from, std::size_t to) const { return state_->may_copy(from, to); }

void DerivedCache::report_refused(std::size_t layer, std::string_view reason) { state_->report_refused(layer, reason); }

void DerivedCache::flush() { state_->flush(); }
CacheStatistics DerivedCache::statistics() const { return state_->statistics(); }

}  // namespace fardel
