// Small plans, the bundles that the real writer makes of them, and opened bundles. bundle_forge/ makes bundles without
// the writer.
#pragma once

#include "blobs.h"
#include "ids.h"

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/bundle_writer.h>
#include <fardel/format/byte_source.h>

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

// The bundle must be good.
inline std::shared_ptr<const Bundle> open_bundle(Bytes bytes, BundleOptions options = {}) {
    return value_of(Bundle::open(make_memory_source(std::move(bytes)), std::move(options)));
}

inline BundleId bundle_id_of(Bytes bytes) { return open_bundle(std::move(bytes))->id(); }

// Makes small bundles: whose content matters, and not the records.
class BundleMaker {
public:
    BundleMaker& add(std::string_view name, std::string_view content, std::string_view content_type = "text/plain") {
        tests::add(plan_, name, content, content_type);
        return *this;
    }
    BundleMaker& add_data(std::string_view name, std::string_view content) {
        return add(name, content, "application/octet-stream");
    }
    BundleMaker& add_unpublished(std::string_view name, std::string_view content) {
        add(name, content);
        plan_.names.back().published = false;
        return *this;
    }
    BundleMaker& add_variants(std::string_view name, const std::vector<std::string>& contents, bool extends = false) {
        PlannedName planned{.name = name_of(name), .published = true, .extends = extends};
        for (const std::string& content : contents)
            planned.variants.push_back(
                {.tags = {{"quality", std::to_string(planned.variants.size())}},
                 .asset =
                     add_asset(plan_, std::string(name) + " " + std::to_string(planned.variants.size()), content)});
        plan_.names.push_back(std::move(planned));
        return *this;
    }
    BundleMaker& add_tombstone(std::string_view name) {
        plan_.names.push_back({.name = name_of(name)});
        return *this;
    }
    BundleMaker& needs(std::span<const BundleId> bundles, const std::string& name = {},
                       const std::string& version = {}) {
        for (const BundleId& bundle : bundles)
            plan_.dependencies.push_back({.bundle = bundle, .name = name, .version = version, .is_static = true});
        return *this;
    }
    // Gives the same content another bundle id, because the id covers the metadata.
    BundleMaker& version(std::string text) {
        plan_.metadata.push_back({.key = "version", .value = std::move(text)});
        return *this;
    }
    // Without this, the bundle's name is "test".
    BundleMaker& title(std::string text) {
        plan_.metadata.push_back({.key = "name", .value = std::move(text)});
        return *this;
    }
    // For changes without a function here.
    BundlePlan& plan() { return plan_; }

    Bytes write() const {
        BundlePlan plan = plan_;
        if (std::ranges::find(plan.metadata, std::string_view("name"), &PlannedMetadata::key) == plan.metadata.end())
            plan.metadata.push_back({.key = "name", .value = std::string("test")});
        return written(plan, {.jobs = 1});
    }
    // Adds no name, and compresses little: for stores and servers.
    Bytes write_quickly() const { return written(plan_); }

private:
    BundlePlan plan_;
};

}  // namespace fardel::tests
