#include "cache_folder.h"
#include "cache_samples.h"
#include "kit/files.h"

#include <fardel/cache/cache_layers.h>
#include <fardel/cache/derived_cache.h>
#include <fardel/format/manifest.h>

#include <fardel/format/bundle.h>

#include <iterator>

namespace fardel::tests::cache_export_test {

TEST_CASE("cache bundle: contains all intact records, omits broken ones, and works like any layer") {  // A109
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const std::string bundle = scratch.path("cache.fardel");
    const auto layer = *open_folder_layer(folder);
    std::vector<Sample> samples;
    for (std::uint64_t i = 0; i < 20; ++i) {
        samples.push_back(
            make_sample(i, {noise(1000, i), bytes_of("the same"), noise(i == 7 ? 300'000 : 10, i + 1000)}));
        write_sample(*layer, samples.back());
    }
    write_sample(*layer, make_sample(1000, {}));  // a job without outputs
    scratch.write("cache/" + cache_file_name(CacheFileKind::object, id_from<Hash>(samples[1].asset(0))),
                  std::string_view("broken"));
    scratch.write("cache/" + cache_file_name(CacheFileKind::record, id_from<Hash>(samples[2].record.key)),
                  std::string_view("broken"));
    fs::remove(scratch.path("cache/" + cache_file_name(CacheFileKind::object, id_from<Hash>(samples[3].asset(2)))));

    const auto exported = value_of(export_cache_bundle(folder, bundle));
    CHECK(exported.records == 18);
    CHECK(exported.broken == 3);

    std::vector<CacheLayerSlot> layers;
    layers.push_back({.layer = make_memory_layer(10u << 20), .policy = {.fill = false}});
    layers.push_back({.layer = *open_bundle_layer(bundle)});
    CHECK_FALSE(layers[1].layer->is_writable());
    CHECK(layers[1].layer->write_record(samples[0].record.key, {}).error().code() == ErrorCode::denied);
    const auto cache = *DerivedCache::open(std::move(layers));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        CAPTURE(i);
        const auto hit = cache->find(samples[i].record.key);
        REQUIRE(hit.has_value() == (i == 0 || i > 3));
        if (!hit)
            continue;
        CHECK(hit->record == samples[i].record);
        CHECK(hit->layer.starts_with("bundle "));
        for (std::size_t o = 0; o < 3; ++o)
            CHECK(read_blob(*hit->outputs[o]).value() == samples[i].outputs[o]);
        const auto bytes = hit->outputs[0]->open_bytes().value();
        REQUIRE(bytes);
        CHECK(bytes->size_bytes() == 1000);
    }
    CHECK(cache->find(key_of(1000)));

    // A second export gives the same bytes.
    REQUIRE(export_cache_bundle(folder, scratch.path("again.fardel")));
    CHECK(read_file(bundle) == read_file(scratch.path("again.fardel")));
}

TEST_CASE("cache bundle: a damaged bundle gives misses, or does not open") {  // A21 A109
    const ScratchFolder scratch;
    const std::string folder = scratch.path("cache");
    const std::string bundle = scratch.path("cache.fardel");
    const Sample sample = make_sample(1);
    write_sample(**open_folder_layer(folder), sample);
    REQUIRE(export_cache_bundle(folder, bundle));
    const std::string good = read_file(bundle);
    int hits = 0;
    int misses = 0;
    for (std::size_t at = 0; at < good.size(); at += 997) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 0x20);
        scratch.write("cache.fardel", bad);
        auto layer = open_bundle_layer(bundle);
        if (!layer)
            continue;
        std::vector<CacheLayerSlot> layers;
        layers.push_back({.layer = make_memory_layer(10u << 20)});
        layers.push_back({.layer = *std::move(layer)});
        const auto cache = *DerivedCache::open(std::move(layers));
        const auto hit = cache->find(sample.record.key);
        ++(hit ? hits : misses);
        for (std::size_t o = 0; hit && o < sample.outputs.size(); ++o)
            CHECK(read_blob(*hit->outputs[o]).value() == sample.outputs[o]);
    }
    CHECK(hits > 0);  // padding, the other tables
    CHECK(misses > 0);
    CHECK(open_bundle_layer(scratch.path("none")).error().code() == ErrorCode::missing);
    CHECK(open_bundle_layer(scratch.write("text", std::string_view("no bundle"))).error().code() ==
          ErrorCode::malformed);
    CHECK(export_cache_bundle(scratch.path("none"), bundle).error().code() == ErrorCode::missing);
}

}  // namespace fardel::tests::cache_export_test
