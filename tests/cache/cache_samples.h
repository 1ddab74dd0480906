// Records and outputs for caches, generated from numbers.
#pragma once

#include "kit/blobs.h"
#include "kit/bytes.h"
#include "kit/ids.h"

#include <fardel/cache/cache_hit.h>
#include <fardel/cache/cache_layer.h>
#include <fardel/cache/cache_record.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/hash.h>
#include <fardel/format/manifest.h>

namespace fardel::tests {

inline BuildKey key_of(std::uint64_t number) {
    const std::string text = "key " + std::to_string(number);
    return id_from<BuildKey>(blake3(std::as_bytes(std::span(text))));
}

// The result of a job: a record and the bytes of its outputs.
struct Sample {
    CacheRecord record;
    std::vector<std::vector<std::byte>> outputs;

    std::vector<std::shared_ptr<const BlobSource>> blobs() const {
        std::vector<std::shared_ptr<const BlobSource>> blobs;
        for (const auto& output : outputs)
            blobs.push_back(make_memory_blob(output));
        return blobs;
    }
    const AssetId& asset(std::size_t i) const { return record.outputs[i].asset; }
};

inline Sample make_sample(std::uint64_t number, std::vector<std::vector<std::byte>> outputs) {
    Sample sample;
    sample.record.key = key_of(number);
    sample.record.notes = "notes of " + std::to_string(number);
    for (const auto& output : outputs)
        sample.record.outputs.push_back({.name = "out/" + std::to_string(sample.record.outputs.size()),
                                         .asset = id_of(output),
                                         .size_bytes = output.size()});
    sample.outputs = std::move(outputs);
    return sample;
}

inline Sample make_sample(std::uint64_t number) {
    return make_sample(number, {noise(1000 + number % 7, number), noise(100'000, ~number), {}});
}

inline std::vector<std::byte> encoded(const CacheRecord& record) { return value_of(encode_cache_record(record)); }

// Writes directly into a layer.
inline void write_sample(CacheLayer& layer, const Sample& sample) {
    for (std::size_t i = 0; i < sample.outputs.size(); ++i) {
        const Status written =
            layer.write_object(sample.asset(i), sample.outputs[i].size(), *make_memory_blob(sample.outputs[i]));
        REQUIRE_MESSAGE(written, (written ? "" : written.error().text()));
    }
    require_good(layer.write_record(sample.record.key, encoded(sample.record)));
}

}  // namespace fardel::tests
