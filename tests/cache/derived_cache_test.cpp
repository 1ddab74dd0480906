#include <fardel/cache/derived_cache.h>

#include "cache_samples.h"
#include "kit/emulator.h"
#include "kit/failing_call.h"
#include "kit/files.h"
#include "spoiled_blob.h"

#include <fardel/cache/cache_layers.h>

#include <array>
#include <atomic>
#include <mutex>
#include <set>

namespace fardel::tests::derived_cache_test {

using namespace std::chrono_literals;

// Faults that a test causes in a layer, and counters of calls.
struct Faults {
    std::atomic<bool> is_held = false;  // the next answer comes when this ends, or after half a minute
    std::atomic<int> delay_ms = 0;
    std::atomic<bool> fails_reads = false;
    std::atomic<bool> fails_writes = false;
    std::atomic<ErrorCode> failure = ErrorCode::unreachable;
    std::atomic<int> asked = 0;
    std::atomic<int> written = 0;  // records
};

class FaultyLayer final : public CacheLayer {
public:
    FaultyLayer(std::unique_ptr<CacheLayer> layer, std::shared_ptr<Faults> faults)
        : layer_(std::move(layer)), faults_(std::move(faults)) {}

    std::string name() const override { return "faulty " + layer_->name(); }
    bool is_writable() const override { return layer_->is_writable(); }
    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override {
        FARDEL_TRY(answer(faults_->fails_reads));
        return layer_->find_record(key);
    }
    Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) override {
        FARDEL_TRY(answer(faults_->fails_reads));
        return layer_->find_object(asset, size_bytes);
    }
    Status write_record(const BuildKey& key, std::span<const std::byte> bytes) override {
        FARDEL_TRY(answer(faults_->fails_writes));
        ++faults_->written;
        return layer_->write_record(key, bytes);
    }
    Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) override {
        FARDEL_TRY(answer(faults_->fails_writes));
        return layer_->write_object(asset, size_bytes, bytes);
    }
    void drop_record(const BuildKey& key) override { layer_->drop_record(key); }
    void drop_object(const AssetId& asset) override { layer_->drop_object(asset); }

private:
    Status answer(bool fails) {
        ++faults_->asked;
        wait_until([&] { return !faults_->is_held; });
        if (faults_->delay_ms > 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(faults_->delay_ms));
        return fails ? Status(Error(faults_->failure, "on purpose")) : ok();
    }

    const std::unique_ptr<CacheLayer> layer_;
    const std::shared_ptr<Faults> faults_;
};

// Damages some of the answers of a layer, chosen by a number that spreads them. What a thread has just written, it
// reads back right once, as the cache does to see what the layer kept.
class SpoilingLayer final : public CacheLayer {
public:
    SpoilingLayer(std::unique_ptr<CacheLayer> layer, std::uint64_t per_1000)
        : layer_(std::move(layer)), per_1000_(per_1000) {}

    std::string name() const override { return layer_->name(); }
    bool is_writable() const override { return layer_->is_writable(); }
    Result<std::optional<std::vector<std::byte>>> find_record(const BuildKey& key) override {
        auto found = layer_->find_record(key);
        if (found && *found && is_chosen())
            spoil(**found, answers_);
        return found;
    }
    Result<std::shared_ptr<const BlobSource>> find_object(const AssetId& asset, std::uint64_t size_bytes) override {
        auto found = layer_->find_object(asset, size_bytes);
        if (found && *found && !take_written(asset) && is_chosen())
            return make_spoiled_blob(*std::move(found));
        return found;
    }
    Status write_record(const BuildKey& key, std::span<const std::byte> bytes) override {
        return layer_->write_record(key, bytes);
    }
    Status write_object(const AssetId& asset, std::uint64_t size_bytes, const BlobSource& bytes) override {
        {
            const std::lock_guard lock(mutex_);
            written_.emplace(std::this_thread::get_id(), asset);
        }
        return layer_->write_object(asset, size_bytes, bytes);
    }
    void drop_record(const BuildKey& key) override { layer_->drop_record(key); }
    void drop_object(const AssetId& asset) override { layer_->drop_object(asset); }

private:
    bool is_chosen() {
        std::uint64_t number = ++answers_ * 0x9e3779b97f4a7c15;
        number ^= number >> 32;
        return number % 1000 < per_1000_;
    }
    bool take_written(const AssetId& asset) {
        const std::lock_guard lock(mutex_);
        return written_.erase({std::this_thread::get_id(), asset}) != 0;
    }

    const std::unique_ptr<CacheLayer> layer_;
    const std::uint64_t per_1000_;
    std::atomic<std::uint64_t> answers_ = 0;
    std::mutex mutex_;
    std::set<std::pair<std::thread::id, AssetId>> written_;
};

std::unique_ptr<CacheLayer> spoiling(std::unique_ptr<CacheLayer> layer, std::uint64_t per_1000) {
    return std::make_unique<SpoilingLayer>(std::move(layer), per_1000);
}

CacheLayerSlot slot(std::unique_ptr<CacheLayer> layer, CacheLayerPolicy policy = {}) {
    return {.layer = std::move(layer), .policy = policy};
}

template <class... Places>
std::unique_ptr<DerivedCache> cache_with(CacheOptions options, Places... slots) {
    std::vector<CacheLayerSlot> all;
    (all.push_back(std::move(slots)), ...);
    return value_of(DerivedCache::open(std::move(all), options));
}

std::unique_ptr<CacheLayer> folder(const ScratchFolder& scratch, const std::string& name) {
    return value_of(open_folder_layer(scratch.path(name)));
}

std::unique_ptr<CacheLayer> faulty(std::unique_ptr<CacheLayer> layer, const std::shared_ptr<Faults>& faults) {
    return std::make_unique<FaultyLayer>(std::move(layer), faults);
}

bool is_right(const std::optional<CacheHit>& hit, const Sample& sample) {
    if (!hit || hit->record != sample.record || hit->outputs.size() != sample.outputs.size())
        return false;
    for (std::size_t i = 0; i < sample.outputs.size(); ++i) {
        const auto read = read_blob(*hit->outputs[i]);
        if (!read || *read != sample.outputs[i])
            return false;
    }
    return true;
}

bool has_all(CacheLayer& layer, const Sample& sample) {
    bool all = layer.find_record(sample.record.key).value().has_value();
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
        all = all && layer.find_object(sample.asset(i), sample.outputs[i].size()).value();
    return all;
}

TEST_CASE("derived cache: a cache without a writable layer is malformed") {
    CHECK(DerivedCache::open({}).error().code() == ErrorCode::malformed);
    std::vector<CacheLayerSlot> slots;
    slots.push_back(slot(make_memory_layer(1000), {.write = false}));
    CHECK(DerivedCache::open(std::move(slots)).error().code() == ErrorCode::malformed);
}

TEST_CASE("derived cache: put writes to every writable layer, and find reads the first") {
    const ScratchFolder scratch;
    const auto cache = cache_with({}, slot(make_memory_layer(10u << 20)), slot(folder(scratch, "local")),
                                  slot(folder(scratch, "ignored"), {.write = false}), slot(folder(scratch, "shared")));
    const Sample sample = make_sample(1);
    const auto kept = cache->put(sample.record, sample.blobs());
    REQUIRE(kept);
    cache->flush();
    CHECK(has_all(*folder(scratch, "local"), sample));
    CHECK(has_all(*folder(scratch, "shared"), sample));
    CHECK_FALSE(folder(scratch, "ignored")->find_record(sample.record.key).value());
    const auto hit = cache->find(sample.record.key);
    CHECK(is_right(hit, sample));
    CHECK(hit->layer == "memory");
    CHECK_FALSE(hit->verify);
    const auto statistics = cache->statistics();
    CHECK(statistics.layers[0].hits == 1);
    CHECK(statistics.layers[0].records_written == 1);
    CHECK(statistics.layers[1].records_written == 1);
    CHECK(statistics.layers[1].objects_written == 3);
    CHECK(statistics.layers[1].hits == 0);
    CHECK(statistics.layers[2].records_written == 0);
    CHECK(statistics.layers[3].bytes_written > 101'000);
}

TEST_CASE(
    "derived cache: what a layer has that nobody vouches for is not copied to layers that somebody does") {  // A158
    const ScratchFolder scratch;
    const Sample sample = make_sample(2);
    write_sample(*folder(scratch, "of-project"), sample);
    const auto cache =
        cache_with({}, slot(folder(scratch, "own")), slot(folder(scratch, "of-user"), {.vouched = true}),
                   slot(folder(scratch, "of-project")), slot(folder(scratch, "farm"), {.vouched = true}));
    CHECK(is_right(cache->find(sample.record.key), sample));
    cache->flush();
    CHECK(has_all(*folder(scratch, "own"), sample));
    CHECK_FALSE(folder(scratch, "of-user")->find_record(sample.record.key).value());
    CHECK_FALSE(cache->may_copy(2, 1));

    const Sample other = make_sample(3);
    write_sample(*folder(scratch, "farm"), other);
    CHECK(is_right(cache->find(other.record.key), other));
    cache->flush();
    for (const char* name : {"own", "of-user", "of-project"})
        CHECK(has_all(*folder(scratch, name), other));
}

TEST_CASE("derived cache: entries of a lower layer are copied into the upper layers that fill") {
    const ScratchFolder scratch;
    const Sample sample = make_sample(2);
    write_sample(*folder(scratch, "far"), sample);
    const auto cache =
        cache_with({}, slot(make_memory_layer(10u << 20), {.fill = false}), slot(folder(scratch, "near")),
                   slot(folder(scratch, "nearer to far")), slot(folder(scratch, "far")));
    const auto hit = cache->find(sample.record.key);
    CHECK(is_right(hit, sample));
    CHECK(hit->layer.ends_with("far"));
    CHECK(has_all(*folder(scratch, "near"), sample));  // at once
    cache->flush();
    CHECK(has_all(*folder(scratch, "nearer to far"), sample));
    const auto statistics = cache->statistics();
    CHECK(statistics.layers[0].filled == 0);
    CHECK(statistics.layers[1].filled == 1);
    CHECK(statistics.layers[2].filled == 1);
    CHECK(statistics.layers[1].misses == 1);
    CHECK(statistics.layers[3].hits == 1);
    std::filesystem::remove_all(scratch.path("far"));
    CHECK(is_right(hit, sample));  // the blobs are those of the near layer
    CHECK(is_right(cache->find(sample.record.key), sample));
}

TEST_CASE("derived cache: objects come from whichever layer has them") {
    const ScratchFolder scratch;
    const Sample sample = make_sample(3);
    const auto near = folder(scratch, "near");
    const auto far = folder(scratch, "far");
    REQUIRE(near->write_record(sample.record.key, encoded(sample.record)));
    REQUIRE(near->write_object(sample.asset(0), sample.outputs[0].size(), *make_memory_blob(sample.outputs[0])));
    for (const std::size_t i : {1u, 2u})
        REQUIRE(far->write_object(sample.asset(i), sample.outputs[i].size(), *make_memory_blob(sample.outputs[i])));
    const auto cache = cache_with({}, slot(folder(scratch, "near")), slot(folder(scratch, "far")));
    CHECK(is_right(cache->find(sample.record.key), sample));
    CHECK(has_all(*near, sample));
    CHECK(cache->statistics().layers[0].hits == 1);

    near->drop_object(sample.asset(1));
    far->drop_object(sample.asset(1));
    CHECK_FALSE(cache->find(sample.record.key));
    CHECK_FALSE(near->find_record(sample.record.key).value());  // a record of an object that no layer has
}

TEST_CASE("derived cache: a record in an upper layer that is broken does not hide a good one below") {  // A109
    const ScratchFolder scratch;
    const Sample sample = make_sample(4);
    write_sample(*folder(scratch, "far"), sample);
    const auto near = folder(scratch, "near");
    REQUIRE(near->write_record(sample.record.key, encoded(make_sample(5).record)));  // another key's
    const auto cache = cache_with({}, slot(folder(scratch, "near")), slot(folder(scratch, "far")));
    CHECK(is_right(cache->find(sample.record.key), sample));
    CHECK(near->find_record(sample.record.key).value() == encoded(sample.record));
    CHECK(cache->statistics().layers[0].broken == 1);
}

TEST_CASE("derived cache: a record of missing objects, or with absurd sizes, is a miss") {  // A109
    const ScratchFolder scratch;
    const auto layer = folder(scratch, "near");
    Sample sample = make_sample(6);
    write_sample(*layer, sample);
    const auto cache = cache_with({}, slot(folder(scratch, "near")));
    for (const std::uint64_t size : {std::uint64_t(0), std::uint64_t(999), ~std::uint64_t(0), std::uint64_t(1) << 62}) {
        CacheRecord poisoned = sample.record;
        poisoned.outputs[0].size_bytes = size;
        REQUIRE(layer->write_record(poisoned.key, encoded(poisoned)));
        CHECK_FALSE(cache->find(poisoned.key));
    }
    CacheRecord poisoned = sample.record;
    poisoned.outputs.resize(kCachedOutputsMax);
    REQUIRE(layer->write_record(poisoned.key, encoded(poisoned)));
    CHECK_FALSE(cache->find(poisoned.key));
}

TEST_CASE("derived cache: a layer that does not answer is left out, and the build goes on") {  // A108
    const ScratchFolder scratch;
    const auto faults = std::make_shared<Faults>();
    faults->fails_reads = true;
    faults->fails_writes = true;
    const auto cache = cache_with({}, slot(folder(scratch, "near")), slot(faulty(folder(scratch, "share"), faults)));
    for (std::uint64_t i = 0; i < 20; ++i) {
        const Sample sample = make_sample(i);
        CHECK_FALSE(cache->find(sample.record.key));
        CHECK(cache->put(sample.record, sample.blobs()));
        CHECK(is_right(cache->find(sample.record.key), sample));
    }
    cache->flush();
    CHECK(faults->asked <= 8);  // three of each, and those in progress
    CHECK(cache->statistics().layers[1].left_out.find("3 errors in a row") != std::string::npos);
    CHECK(cache->statistics().layers[0].left_out == "");
}

TEST_CASE("derived cache: a layer that works again after one or two errors stays in use") {  // A108
    const ScratchFolder scratch;
    const auto faults = std::make_shared<Faults>();
    const Sample sample = make_sample(1);
    write_sample(*folder(scratch, "share"), sample);
    const auto cache =
        cache_with({}, slot(folder(scratch, "near"), {.fill = false}), slot(faulty(folder(scratch, "share"), faults)));
    faults->fails_reads = true;
    CHECK_FALSE(cache->find(sample.record.key));
    CHECK_FALSE(cache->find(sample.record.key));
    faults->fails_reads = false;
    CHECK(is_right(cache->find(sample.record.key), sample));
    CHECK(cache->statistics().layers[1].left_out == "");
    CHECK(folder(scratch, "share")->find_record(sample.record.key).value());  // and nothing was dropped
}

TEST_CASE("derived cache: a slow layer is left out") {  // A108
    const ScratchFolder scratch;
    const auto faults = std::make_shared<Faults>();
    faults->delay_ms = 200;
    const auto cache =
        cache_with({}, slot(folder(scratch, "near")), slot(faulty(folder(scratch, "share"), faults), {.slow = 100ms}));
    const auto since = std::chrono::steady_clock::now();
    for (std::uint64_t i = 0; i < 200; ++i)
        CHECK_FALSE(cache->find(key_of(i)));
    CHECK(std::chrono::steady_clock::now() - since < 20s);  // 40 if it were asked each time
    CHECK(faults->asked <= 4);
    CHECK(cache->statistics().layers[1].left_out.starts_with("slow: "));
    CHECK(cache->statistics().layers[1].waited >= 400ms);
}

TEST_CASE("derived cache: a layer that is full or denies is only read from then on") {  // A102 A108
    for (const ErrorCode code : {ErrorCode::no_space, ErrorCode::denied}) {
        const ScratchFolder scratch;
        const auto faults = std::make_shared<Faults>();
        faults->fails_writes = true;
        faults->failure = code;
        const Sample old = make_sample(1);
        write_sample(*folder(scratch, "first"), old);
        const auto cache =
            cache_with({}, slot(faulty(folder(scratch, "first"), faults)), slot(folder(scratch, "second")));
        const Sample sample = make_sample(2);
        CHECK(cache->put(sample.record, sample.blobs()));  // the next layer accepts it
        CHECK(has_all(*folder(scratch, "second"), sample));
        CHECK(is_right(cache->find(sample.record.key), sample));
        CHECK(is_right(cache->find(old.record.key), old));
        CHECK(cache->statistics().layers[0].left_out ==
              "no longer written: " + std::string(error_code_name(code)) + ": on purpose");
    }
    const ScratchFolder scratch;
    const auto faults = std::make_shared<Faults>();
    faults->fails_writes = true;
    faults->failure = ErrorCode::no_space;
    const auto alone = cache_with({}, slot(faulty(folder(scratch, "only"), faults)));
    const Sample sample = make_sample(3);
    CHECK(alone->put(sample.record, sample.blobs()).error().code() == ErrorCode::no_space);
    CHECK(alone->put(sample.record, sample.blobs()).error().code() == ErrorCode::unreachable);
    CHECK_FALSE(alone->find(sample.record.key));
}

TEST_CASE("derived cache: a layer with signers is neither read nor written without their signatures") {  // A109
    const ScratchFolder scratch;
    const auto signer = [](unsigned char number) {
        std::array<std::byte, 32> seed{};
        seed.fill(std::byte(number));
        return std::shared_ptr<Signer>(make_key_signer(SecretKey::from_seed(seed)));
    };
    CacheLayerPolicy policy;
    policy.signers = {signer(1)->public_key()};
    const auto open = [&](const std::string& own, std::shared_ptr<Signer> with) {
        CacheOptions options;
        options.signer = std::move(with);
        return cache_with(options, slot(folder(scratch, own)), slot(folder(scratch, "shared"), policy));
    };
    const auto put = [&](DerivedCache& cache, const Sample& sample) {
        REQUIRE(cache.put(sample.record, sample.blobs()));
        cache.flush();
        return folder(scratch, "shared")->find_record(sample.record.key).value().has_value();
    };
    CHECK_FALSE(put(*open("a", nullptr), make_sample(1)));
    CHECK_FALSE(put(*open("a", signer(2)), make_sample(2)));
    CHECK(put(*open("a", signer(1)), make_sample(3)));
    write_sample(*folder(scratch, "shared"), make_sample(4));  // somebody else wrote it, unsigned

    const auto cache = open("b", nullptr);
    CHECK_FALSE(cache->find(make_sample(4).record.key));
    CHECK(cache->statistics().layers[1].refused == 1);
    CHECK(cache->statistics().layers[1].refusal.find("it is not signed") != std::string::npos);
    CHECK(folder(scratch, "shared")->find_record(make_sample(4).record.key).value());  // it stays for others
    const auto hit = cache->find(make_sample(3).record.key);
    REQUIRE(hit);
    REQUIRE(hit->record.signature);
    CHECK(hit->record.signature->key == signer(1)->public_key());
    CHECK(hit->record.outputs == make_sample(3).record.outputs);
    const auto kept = folder(scratch, "b")->find_record(make_sample(3).record.key).value();
    REQUIRE(kept);
    CHECK(decode_cache_record(make_sample(3).record.key, *kept)->signature == hit->record.signature);  // as it was
}

TEST_CASE("derived cache: a note is in one layer, and the cache copies it to no other") {  // A129
    const ScratchFolder scratch;
    const auto cache = cache_with({}, slot(folder(scratch, "a")), slot(folder(scratch, "b")));
    REQUIRE(cache->layer_count() == 2);
    using enum DerivedCache::NoteOrigin;
    REQUIRE(cache->put_note(1, key_of(1), "of b", job));
    cache->flush();
    CHECK(cache->find_note(1, key_of(1)) == "of b");
    CHECK_FALSE(cache->find_note(0, key_of(1)));
    REQUIRE(cache->put_note(0, key_of(1), "of a", lower_layer));
    CHECK(cache->find_note(0, key_of(1)) == "of a");
    CHECK(cache->find_note(1, key_of(1)) == "of b");
    // A result is no note, and a note that is too long is not kept.
    const Sample sample = make_sample(2);
    REQUIRE(cache->put(sample.record, sample.blobs()));
    CHECK_FALSE(cache->find_note(0, sample.record.key));
    REQUIRE(cache->put_note(0, key_of(3), std::string(kCacheRecordBytesMax, 'x'), job));
    CHECK_FALSE(cache->find_note(0, key_of(3)));

    CacheLayerPolicy only_read;
    only_read.write = only_read.fill = false;
    const auto reader = cache_with({}, slot(folder(scratch, "c")), slot(folder(scratch, "b"), only_read));
    REQUIRE(reader->put_note(1, key_of(1), "changed", job));
    REQUIRE(reader->put_note(1, key_of(1), "changed", lower_layer));
    reader->flush();
    CHECK(reader->find_note(1, key_of(1)) == "of b");
}

TEST_CASE("derived cache: put does not wait for slow layers below, until too much waits") {
    const ScratchFolder scratch;
    const auto faults = std::make_shared<Faults>();
    faults->delay_ms = 30;
    {
        const auto cache = cache_with({.write_behind_bytes_max = 1000}, slot(folder(scratch, "near")),
                                      slot(faulty(folder(scratch, "far"), faults)));
        faults->is_held = true;
        const Sample first = make_sample(0, {noise(10, 0)});
        CHECK(cache->put(first.record, first.blobs()));
        CHECK(faults->written == 0);
        faults->is_held = false;
        const auto since = std::chrono::steady_clock::now();
        for (std::uint64_t i = 1; i < 20; ++i) {
            const Sample sample = make_sample(i, {noise(10, i)});
            CHECK(cache->put(sample.record, sample.blobs()));
        }
        CHECK(std::chrono::steady_clock::now() - since > 300ms);  // each takes 60 ms, and about five may wait
        CHECK(faults->written >= 5);
        cache->flush();
        CHECK(faults->written == 20);
        faults->delay_ms = 1000;
        for (std::uint64_t i = 100; i < 103; ++i) {
            const Sample sample = make_sample(i, {noise(10, i)});
            CHECK(cache->put(sample.record, sample.blobs()));
        }
    }
    CHECK(faults->written < 23);  // the destructor drops waiting writes
    CHECK(check_cache_folder(scratch.path("far"), {})->broken.empty());
    CHECK(check_cache_folder(scratch.path("far"), {})->incomplete == 0);
}

TEST_CASE("derived cache: an entry that memory does not keep is in the next layer when put returns") {
    const ScratchFolder scratch;
    const auto cache = cache_with({}, slot(make_memory_layer(1000)), slot(folder(scratch, "near")));
    const Sample sample = make_sample(1);
    const auto kept = cache->put(sample.record, sample.blobs());
    REQUIRE(kept);
    CHECK(has_all(*folder(scratch, "near"), sample));
    CHECK(read_blob(*(*kept)[1]).value() == sample.outputs[1]);
    CHECK(is_right(cache->find(sample.record.key), sample));
}

TEST_CASE("derived cache: keys decide which hits are verified, and the verdicts are counted") {  // A112
    const ScratchFolder scratch;
    const auto some = cache_with({.verify_per_1000 = 250}, slot(make_memory_layer(10u << 20)));
    const auto all = cache_with({.verify_per_1000 = 1000}, slot(make_memory_layer(10u << 20)));
    int chosen = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        const Sample sample = make_sample(i, {bytes_of("x")});
        REQUIRE(some->put(sample.record, sample.blobs()));
        REQUIRE(all->put(sample.record, sample.blobs()));
        const bool verify = some->find(sample.record.key)->verify;
        CHECK(some->find(sample.record.key)->verify == verify);
        CHECK(all->find(sample.record.key)->verify);
        chosen += verify;
    }
    CHECK(chosen > 180);
    CHECK(chosen < 320);
    some->report_verified(true);
    some->report_verified(false);
    CHECK(some->statistics().verified == 2);
    CHECK(some->statistics().verified_differently == 1);
}

TEST_CASE("derived cache: answers that are changed on the way are misses, never wrong outputs") {  // A109
    const ScratchFolder scratch;
    const auto cache = cache_with({}, slot(spoiling(make_memory_layer(100u << 20), 300)),
                                  slot(spoiling(folder(scratch, "near"), 300)));
    int hits = 0;
    int misses = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const Sample sample = make_sample(i, {noise(1000, i), {}});
        for (int again = 0; again < 3; ++again) {
            const auto hit = cache->find(sample.record.key);
            if (hit)
                CHECK(is_right(hit, sample));
            else
                REQUIRE(cache->put(sample.record, sample.blobs()));
            ++(hit ? hits : misses);
        }
    }
    CHECK(hits > 100);
    CHECK(misses > 200);
    CHECK(cache->statistics().layers[0].broken + cache->statistics().layers[1].broken > 50);
    CHECK(cache->statistics().layers[0].left_out == "");
}

TEST_CASE(
    "derived cache: many threads over several layers get right outputs, whatever is dropped meanwhile") {  // A107 A117
    if (is_left_out_in_emulator("many threads take ten seconds"))
        return;
    const ScratchFolder scratch;
    const auto cache =
        cache_with({}, slot(spoiling(make_memory_layer(200'000), 50)), slot(spoiling(folder(scratch, "near"), 50)),
                   slot(spoiling(folder(scratch, "far"), 50)));
    std::vector<Sample> samples;
    for (std::uint64_t i = 0; i < 10; ++i)
        samples.push_back(make_sample(i, {noise(5000, i), bytes_of("the same"), noise(70'000, i % 3)}));
    std::atomic<int> wrong = 0;
    std::atomic<int> hits = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 16; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < 30; ++i) {
                const Sample& sample = samples[(t * 7 + i) % samples.size()];
                const auto hit = cache->find(sample.record.key);
                hits += hit.has_value();
                if (!hit && !cache->put(sample.record, sample.blobs()))
                    ++wrong;
                for (std::size_t o = 0; hit && o < sample.outputs.size(); ++o) {
                    const auto read = read_blob(*hit->outputs[o], 65'536);
                    wrong += read ? *read != sample.outputs[o]
                                  : read.error().code() != ErrorCode::missing;  // dropped because of a damaged one
                }
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(wrong == 0);
    CHECK(hits > 0);
    cache->flush();
    CHECK(check_cache_folder(scratch.path("near"), {})->broken.empty());
    CHECK(check_cache_folder(scratch.path("far"), {})->broken.empty());
}

#if defined(FARDEL_CAN_FAIL_CALLS)

enum BuildEnd : int { hit_and_right, put_and_right, put_refused, wrong };

// Does what a build does for one job. Running the job means taking the outputs of `sample`.
BuildEnd build_once(const std::string& path, const Sample& sample) {
    auto layer = open_folder_layer(path);
    if (!layer)
        return put_refused;
    std::vector<CacheLayerSlot> slots;
    slots.push_back(slot(*std::move(layer)));
    auto cache = DerivedCache::open(std::move(slots));
    if (!cache)
        return wrong;
    if (const auto hit = (*cache)->find(sample.record.key)) {
        if (hit->record != sample.record)
            return wrong;
        for (std::size_t i = 0; i < sample.outputs.size(); ++i)
            if (const auto read = read_blob(*hit->outputs[i]); read && *read != sample.outputs[i])
                return wrong;
        return hit_and_right;
    }
    const auto put = (*cache)->put(sample.record, sample.blobs());
    if (!put)
        return put_refused;
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
        if (const auto read = read_blob(*(*put)[i]); read && *read != sample.outputs[i])
            return wrong;
    return put_and_right;
}

struct FailedCalls {
    int calls = 0;
    int refused = 0;  // runs in which nothing was put
};

// Lets each call fail in turn, in a cache that `prepare` creates.
template <class Prepare>
FailedCalls fail_in_cache(int error, const Sample& sample, Prepare prepare) {
    int refused = 0;
    const ScratchFolder scratch;
    const std::string path = scratch.path("cache");
    const auto prepare_again = [&] {
        fs::remove_all(path);
        prepare(path);
    };
    const auto verify = [&](const FailedCall& outcome) {
        CHECK(outcome.exit_code != wrong);
        if (!outcome.failed)
            return;
        refused += outcome.exit_code == put_refused;
        if (const auto report = check_cache_folder(path, {})) {  // otherwise the cache was not created
            CHECK(report->broken.empty());
            CHECK(report->incomplete == 0);
            CHECK(report->unfinished <= 1);  // one if its removal failed
            if (outcome.exit_code == put_and_right)
                CHECK(report->records == 1);
        } else {
            CHECK(outcome.exit_code == put_refused);
        }
        CHECK(build_once(path, sample) <= put_and_right);  // the next build
        CHECK(build_once(path, sample) == hit_and_right);
    };
    const int runs = fail_each_call(
        1000, {error}, prepare_again, [&] { return build_once(path, sample); }, verify);
    return {.calls = runs - 2, .refused = refused};
}

TEST_CASE(
    "derived cache: whichever call on files fails, outputs are right and the next build finds a good cache") {  // A102
    const Sample sample = make_sample(1, {noise(70'000, 1), noise(10, 2)});
    for (const int error : {ENOSPC, EIO, EINTR, EMFILE, EROFS, ENAMETOOLONG}) {
        CAPTURE(error);
        const FailedCalls written = fail_in_cache(error, sample, [](const std::string&) {});
        CHECK(written.calls > 20);
        CHECK(written.refused > 10);
    }
    for (const int error : {EIO, EINTR, EACCES}) {
        CAPTURE(error);
        const FailedCalls read = fail_in_cache(
            error, sample, [&](const std::string& path) { REQUIRE(build_once(path, sample) == put_and_right); });
        CHECK(read.calls > 5);
        CHECK(read.refused < read.calls);
    }
}

#endif

}  // namespace fardel::tests::derived_cache_test
