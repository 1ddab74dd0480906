// Plans and bytes for tests of the writer.
#pragma once

#include "bundle_audit.h"
#include "memory_file.h"

#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel::tests {

// Returns incompressible bytes.
inline std::string noise(std::size_t size, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::string text(size, '\0');
    std::ranges::generate(text, [&] { return static_cast<char>(random()); });
    return text;
}

// Returns compressible bytes.
inline std::string prose(std::size_t size, std::uint32_t seed) {
    static constexpr std::string_view kWords[] = {"texture ", "shader ",    "{\n",     "}\n",   "map ",
                                                  "0.5 ",     "blendFunc ", "models/", "base/", "water "};
    std::mt19937 random(seed);
    std::string text;
    while (text.size() < size)
        text += kWords[random() % std::size(kWords)];
    text.resize(size);
    return text;
}

inline std::shared_ptr<const BlobSource> blob(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return make_memory_blob({bytes.begin(), bytes.end()});
}

inline AssetName named(std::string_view text) { return AssetName::parse(text).value(); }

// Adds an asset without a name; returns its index.
inline std::uint32_t add_asset(BundlePlan& plan, std::string_view key, std::string_view content,
                               std::string_view content_type = "text/plain", bool streamed = false) {
    PlannedAsset asset;
    asset.source = blob(content);
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
    plan.names.push_back({.name = named(name), .variants = {{.asset = asset}}});
    return asset;
}

inline WriteOptions quick(unsigned jobs = 2) { return {.level = 1, .jobs = jobs}; }

inline std::vector<std::byte> written(const BundlePlan& plan, const WriteOptions& options = quick()) {
    MemoryDisk disk;
    auto bundle = write_bundle(plan, make_memory_file(disk), options);
    REQUIRE_MESSAGE(bundle, (bundle ? "" : bundle.error().text()));
    REQUIRE(bundle->commit());
    CHECK(disk.bytes.size() == bundle->summary().file_bytes);
    return std::move(disk.bytes);
}

inline AuditedBundle audited(const BundlePlan& plan, const WriteOptions& options = quick()) {
    return audit(written(plan, options));
}

// Returns the error text of a plan that must be refused. Checks that no file is left.
inline std::string refusal(const BundlePlan& plan, const WriteOptions& options = quick()) {
    MemoryDisk disk;
    const auto bundle = write_bundle(plan, make_memory_file(disk), options);
    REQUIRE_FALSE(bundle);
    CHECK(disk.removed);
    return bundle.error().text();
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace fardel::tests
