// Small plans, and the bundles that the real writer makes of them. bundle_forge/ makes bundles without the writer.
#pragma once

#include "blobs.h"
#include "bytes.h"
#include "ids.h"
#include "memory_file.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <utility>

namespace fardel::tests {

// Adds an asset without a name; returns its index.
inline std::uint32_t add_asset(BundlePlan& plan, std::string_view key, std::string_view content,
                               std::string_view content_type = "text/plain", bool streamed = false) {
    PlannedAsset asset;
    asset.source = blob_of(content);
    asset.key = key;
    asset.content_type = content_type;
    asset.streamed = streamed;
    plan.assets.push_back(std::move(asset));
    return static_cast<std::uint32_t>(plan.assets.size() - 1);
}

// Adds an asset with a name; returns its index.
inline std::uint32_t add(BundlePlan& plan, std::string_view name, std::string_view content,
                         std::string_view content_type = "text/plain", bool streamed = false) {
    const std::uint32_t asset = add_asset(plan, name, content, content_type, streamed);
    plan.names.push_back({.name = name_of(name), .variants = {{.asset = asset}}});
    return asset;
}

inline BundleWriteOptions quick(unsigned jobs = 2) { return {.level = 1, .jobs = jobs}; }

// Returns the bundle's bytes.
inline Bytes written(const BundlePlan& plan, const BundleWriteOptions& options = quick()) {
    MemoryDisk disk;
    auto bundle = write_bundle(plan, make_memory_file(disk), options);
    REQUIRE_MESSAGE(bundle, (bundle ? "" : bundle.error().text()));
    REQUIRE(bundle->commit());
    CHECK(disk.bytes.size() == bundle->summary().file_bytes);
    return std::move(disk.bytes);
}

}  // namespace fardel::tests
