// Properties of every kind of layer.
#include "cache_samples.h"
#include "cache_site.h"
#include "kit/files.h"

#include <fardel/cache/derived_cache.h>
#include <fardel/cache/fardel_cache.h>

namespace fardel::tests::cache_layers_test {

std::unique_ptr<DerivedCache> cache_of(std::unique_ptr<CacheLayer> layer) {
    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = std::move(layer)});
    return value_of(DerivedCache::open(std::move(layers)));
}

void put(DerivedCache& cache, const Sample& sample) {
    const auto kept = value_of(cache.put(sample.record, sample.blobs()));
    REQUIRE(kept.size() == sample.outputs.size());
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
        CHECK(read_blob(*(kept)[i]).value() == sample.outputs[i]);
}

// Requires a hit whose bytes are all right.
void check_hit(DerivedCache& cache, const Sample& sample) {
    const auto hit = cache.find(sample.record.key);
    REQUIRE(hit);
    CHECK(hit->record == sample.record);
    REQUIRE(hit->outputs.size() == sample.outputs.size());
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
        CHECK(read_blob(*hit->outputs[i]).value() == sample.outputs[i]);
}

std::string record_file(const CacheSite& site, const BuildKey& key) {
    return site.tree + "/records/" + key.hex().substr(0, 2) + "/" + key.hex();
}
std::string object_file(const CacheSite& site, const AssetId& asset) {
    return site.tree + "/objects/" + asset.hex().substr(0, 2) + "/" + asset.hex();
}

// Returns several damaged versions of `bytes`: cut off, changed, longer, empty, zeros.
std::vector<std::vector<std::byte>> spoilt(const std::vector<std::byte>& bytes) {
    std::vector<std::vector<std::byte>> all;
    for (const std::size_t size : {std::size_t(0), std::size_t(1), bytes.size() / 2, bytes.size() - 1})
        all.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    for (const std::size_t at : {std::size_t(0), bytes.size() / 3, bytes.size() - 1}) {
        all.push_back(bytes);
        all.back()[at] ^= std::byte{0x40};
    }
    all.push_back(bytes);
    all.back().push_back(std::byte{0});
    all.emplace_back(bytes.size());
    return all;
}

// Runs `test` with an empty cache at each location whose files a test can change.
template <class Test>
void at_each_site_with_files(const Test& test) {
    const CacheSites sites;
    for (const CacheSite& site : sites.all()) {
        if (site.tree.empty())
            continue;
        CAPTURE(site.name);
        const auto cache = cache_of(site.open());
        test(site, *cache);
    }
}

TEST_CASE("cache layer: written entries are found again, and nothing else") {
    const CacheSites sites;
    for (const CacheSite& site : sites.all()) {
        CAPTURE(site.name);
        const auto layer = site.open();
        CHECK(layer->is_writable());
        CHECK_FALSE(layer->name().empty());
        const Sample sample = make_sample(1);
        CHECK_FALSE(layer->find_record(sample.record.key).value());
        CHECK_FALSE(layer->find_object(sample.asset(0), sample.outputs[0].size()).value());

        write_sample(*layer, sample);
        write_sample(*layer, sample);  // once more: nothing changes
        const auto reader = site.lasts ? site.open() : nullptr;
        CacheLayer& other = reader ? *reader : *layer;
        CHECK(other.find_record(sample.record.key).value() == encoded(sample.record));
        for (std::size_t i = 0; i < sample.outputs.size(); ++i) {
            const auto blob = other.find_object(sample.asset(i), sample.outputs[i].size()).value();
            REQUIRE(blob);
            CHECK(read_blob(*blob).value() == sample.outputs[i]);
        }
        CHECK_FALSE(other.find_record(key_of(2)).value());
        CHECK_FALSE(other.find_object(make_sample(2).asset(0), 1002).value());

        Sample later = sample;
        later.record.notes = "later";
        write_sample(*layer, later);
        CHECK(layer->find_record(sample.record.key).value() == encoded(later.record));
    }
}

TEST_CASE("cache layer: an object of another size is absent or corrupt") {  // A109
    const CacheSites sites;
    for (const CacheSite& site : sites.all()) {
        CAPTURE(site.name);
        const auto layer = site.open();
        const Sample sample = make_sample(1);
        write_sample(*layer, sample);
        for (const std::uint64_t size :
             {std::uint64_t(0), std::uint64_t(999), std::uint64_t(1002), std::uint64_t(1) << 40, ~std::uint64_t(0)}) {
            Sample lying = sample;
            lying.record.outputs[0].size_bytes = size;
            REQUIRE(layer->write_record(lying.record.key, encoded(lying.record)));
            const auto found = layer->find_object(sample.asset(0), size);
            if (!found)
                CHECK(found.error().code() == ErrorCode::corrupt);
            else if (*found)
                CHECK(site.name == "shared folder");  // where the size is only checked by reading
        }
    }
}

TEST_CASE("cache layer: an object whose source fails or lies is not written") {  // A102 A109
    const CacheSites sites;
    struct Failing final : BlobSource {
        struct Stream final : BlobStream {
            int reads = 0;
            Result<std::size_t> read(std::span<std::byte> out) override {
                if (++reads > 2)
                    return Error(ErrorCode::io, "fails on purpose");
                return std::min<std::size_t>(out.size(), 300);
            }
        };
        Result<std::unique_ptr<BlobStream>> open() const override {
            return std::unique_ptr<BlobStream>(std::make_unique<Stream>());
        }
    };
    for (const CacheSite& site : sites.all()) {
        CAPTURE(site.name);
        const auto cache = cache_of(site.open());
        Sample sample = make_sample(3);
        auto blobs = sample.blobs();
        blobs[1] = std::make_shared<Failing>();
        CHECK(cache->put(sample.record, blobs).error().code() == ErrorCode::io);
        blobs[1] = make_memory_blob(noise(100'000, 17));
        CHECK(cache->put(sample.record, blobs).error().code() == ErrorCode::corrupt);
        blobs[1] = make_memory_blob(noise(99'999, ~std::uint64_t(3)));
        CHECK(cache->put(sample.record, blobs).error().code() == ErrorCode::corrupt);
        blobs.pop_back();
        CHECK(cache->put(sample.record, blobs).error().code() == ErrorCode::malformed);
        CHECK_FALSE(cache->find(sample.record.key));
        if (!site.tree.empty()) {
            CHECK_FALSE(fs::exists(object_file(site, sample.asset(1))));
            CHECK_FALSE(fs::exists(record_file(site, sample.record.key)));
        }
        put(*cache, sample);  // the layer is still in use
        check_hit(*cache, sample);
    }
}

TEST_CASE(
    "cache layer: a record that is broken, empty or another key's is a miss, and replaced") {  // A94 A103 A104 A109
    at_each_site_with_files([&](const CacheSite& site, DerivedCache& cache) {
        const Sample sample = make_sample(4);
        const Sample other = make_sample(5);
        put(cache, sample);
        put(cache, other);
        auto wrong = spoilt(encoded(sample.record));
        wrong.push_back(encoded(other.record));
        wrong.push_back(noise(kCacheRecordBytesMax + 1, 9));
        for (const auto& bytes : wrong) {
            write_file(record_file(site, sample.record.key), bytes);
            CHECK_FALSE(cache.find(sample.record.key));
            check_hit(cache, other);
            put(cache, sample);
            check_hit(cache, sample);
        }
        CHECK(cache.statistics().layers[0].broken == wrong.size());
        CHECK(cache.statistics().layers[0].left_out == "");
    });
}

TEST_CASE("cache layer: an object that is broken is a miss, and replaced") {  // A94 A103 A104 A109
    at_each_site_with_files([&](const CacheSite& site, DerivedCache& cache) {
        const Sample sample = make_sample(6);
        put(cache, sample);
        for (const std::size_t i : {0u, 1u})
            for (const auto& bytes : spoilt(sample.outputs[i])) {
                write_file(object_file(site, sample.asset(i)), bytes);
                CHECK_FALSE(cache.find(sample.record.key));
                put(cache, sample);
                check_hit(cache, sample);
            }
        write_file(object_file(site, sample.asset(2)), bytes_of("x"));  // the empty one
        CHECK_FALSE(cache.find(sample.record.key));
        fs::remove(object_file(site, sample.asset(0)));
        CHECK_FALSE(cache.find(sample.record.key));
        put(cache, sample);
        check_hit(cache, sample);
        CHECK(cache.statistics().layers[0].broken >= 2);
        CHECK(cache.statistics().layers[0].left_out == "");
    });
}

TEST_CASE("cache layer: writing repairs objects that were not known to be broken") {  // A103
    at_each_site_with_files([&](const CacheSite& site, DerivedCache& cache) {
        const Sample sample = make_sample(7);
        put(cache, sample);
        write_file(object_file(site, sample.asset(0)), std::vector<std::byte>(sample.outputs[0].size()));
        put(cache, sample);
        check_hit(cache, sample);
    });
}

TEST_CASE(
    "cache layer: what changes, is replaced or removed after it was found gives right bytes or an error") {  // A33 A105
                                                                                                             // A107
    const ScratchFolder scratch;
    at_each_site_with_files([&](const CacheSite& site, DerivedCache& cache) {
        const Sample sample = make_sample(8);
        put(cache, sample);
        const std::string path = object_file(site, sample.asset(1));
        const auto hit = cache.find(sample.record.key);
        REQUIRE(hit);
        const BlobSource& blob = *hit->outputs[1];

        // While it is read, a file with the same bytes replaces it.
        const auto stream = blob.open().value();
        std::vector<std::byte> read(70'000);
        std::size_t size = 0;
        while (size < 50'000)
            size +=
                stream->read(std::span(read).subspan(size, std::min<std::size_t>(4096, read.size() - size))).value();
        const std::string beside = scratch.path("beside");
        write_file(beside, sample.outputs[1]);
        fs::rename(beside, path);
        for (;;) {
            std::vector<std::byte> more(4096);
            const std::size_t count = stream->read(more).value();
            if (count == 0)
                break;
            read.resize(std::max(read.size(), size + count));
            std::copy_n(more.begin(), count, read.begin() + static_cast<std::ptrdiff_t>(size));
            size += count;
        }
        read.resize(size);
        CHECK(read == sample.outputs[1]);

        auto changed = sample.outputs[1];
        changed[99'000] ^= std::byte{1};
        write_file(path, changed);
        const auto again = read_blob(blob);
        CHECK((again ? *again == sample.outputs[1] : again.error().code() == ErrorCode::corrupt));
        fs::remove(path);
        const auto gone = read_blob(blob);
        CHECK((gone ? *gone == sample.outputs[1] : gone.error().code() == ErrorCode::missing));
    });
}

TEST_CASE("cache layer: sixteen threads write and read the same and other entries at once, and all succeed") {  // A117
    const CacheSites sites;
    for (const CacheSite& site : sites.all()) {
        CAPTURE(site.name);
        const auto cache = cache_of(site.open());
        const Sample same = make_sample(9);
        std::vector<Sample> own;
        for (std::uint64_t i = 0; i < 16; ++i)
            own.push_back(make_sample(100 + i));
        std::vector<std::thread> threads;
        std::vector<int> wrong(16);
        for (std::size_t i = 0; i < 16; ++i)
            threads.emplace_back([&, i] {
                for (const Sample* const sample : std::vector<const Sample*>{&same, &own[i], &same}) {
                    wrong[i] += !cache->put(sample->record, sample->blobs());
                    const auto hit = cache->find(sample->record.key);
                    wrong[i] += !hit || hit->record != sample->record;
                    for (std::size_t o = 0; hit && o < sample->outputs.size(); ++o) {
                        const auto read = read_blob(*hit->outputs[o]);
                        wrong[i] += !read || *read != sample->outputs[o];
                    }
                }
            });
        for (std::thread& thread : threads)
            thread.join();
        CHECK(wrong == std::vector<int>(16));
        CHECK(cache->statistics().layers[0].broken == 0);
        CHECK(cache->statistics().layers[0].errors == 0);
        CHECK((site.tree.empty() || temporary_files(site.tree) == 0));
    }
}

TEST_CASE("memory layer: the least recently used entries are dropped, and one that would drop all others is not kept") {
    const auto layer = make_memory_layer(100'000);
    std::vector<Sample> samples;
    for (std::uint64_t i = 0; i < 5; ++i) {
        samples.push_back(make_sample(i, {noise(20'000, i)}));
        write_sample(*layer, samples.back());
        CHECK(layer->find_object(samples[0].asset(0), 20'000).value());  // used again and again
    }
    CHECK_FALSE(layer->find_object(samples[1].asset(0), 20'000).value());
    CHECK(layer->find_object(samples[4].asset(0), 20'000).value());
    const auto large = noise(50'001, 77);
    REQUIRE(layer->write_object(id_of(large), large.size(), *make_memory_blob(large)));
    CHECK_FALSE(layer->find_object(id_of(large), large.size()).value());

    // Empty objects need memory too.
    for (std::uint64_t i = 0; i < 1000; ++i) {
        CacheRecord record;
        record.key = key_of(i);
        REQUIRE(layer->write_record(record.key, encoded(record)));
    }
    CHECK_FALSE(layer->find_record(key_of(0)).value());
    CHECK(layer->find_record(key_of(999)).value());
}

TEST_CASE("C cache: a server has a URL of HTTP") {
    fardel_error error = FARDEL_ERROR_INIT;
    fardel_cache_options options = FARDEL_CACHE_OPTIONS_INIT;
    options.url = "ftp://cache.example/";
    fardel_cache* cache = nullptr;
    CHECK(fardel_cache_open(&options, &cache, &error) == FARDEL_ERROR_MALFORMED);
    CHECK(std::string(error.text).find("http") != std::string::npos);
    CHECK(cache == nullptr);
}

}  // namespace fardel::tests::cache_layers_test
