// BundleContents: all that a bundle's tables say, read at once into plain values; for tools that compare and report.
//
// Costs memory in proportion to the bundle: a game asks Bundle instead. The bundle is hostile: what its tables say is
// checked against their counts, and names are well formed. Content is not read.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>
#include <fardel/format/result.h>
#include <fardel/format/tag.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fardel {

struct ContentMetadata {
    std::string key;
    MetadataValue value;
    bool creator = false;  // in the table that the runtime never reads
    friend bool operator==(const ContentMetadata&, const ContentMetadata&) = default;
};

struct ContentReference {
    std::string spelling;  // as the asset writes it
    ReferenceKind kind = ReferenceKind::internal;
    bool optional = false;
    AssetId asset;                 // of a static reference
    std::string name;              // of a dynamic one
    std::uint32_t dependency = 0;  // of a foreign one: index into BundleContents::dependencies
    friend bool operator==(const ContentReference&, const ContentReference&) = default;
};

struct ContentAsset {
    AssetId id;
    std::string content_type;
    std::uint64_t raw_bytes = 0;
    // Its share of its blocks, as their raw bytes are shared: the sum over all assets is that of the blocks.
    std::uint64_t stored_bytes = 0;
    std::uint32_t first_block = 0;             // index into BundleContents::blocks
    std::vector<Hash> pieces;                  // of an asset of several: one a block
    std::vector<ContentReference> references;  // by spelling
    std::vector<ContentMetadata> metadata;     // by key, the creators' behind the others
};

struct ContentVariant {
    Tags tags;                // by axis
    std::uint32_t asset = 0;  // index into BundleContents::assets
};

struct ContentName {
    std::string text;
    bool published = false;
    bool extends = false;
    std::vector<ContentVariant> variants;  // one without tags: a plain name; none: a tombstone
};

struct ContentConsume {
    std::string text;
    bool pattern = false;
    bool optional = false;
    friend bool operator==(const ContentConsume&, const ContentConsume&) = default;
};

struct ContentDependency {
    BundleId bundle;
    std::string name;
    std::string version;
    bool is_static = false;
    friend bool operator==(const ContentDependency&, const ContentDependency&) = default;
};

struct BundleContents {
    std::vector<ContentAsset> assets;             // by id
    std::vector<ContentName> names;               // by text
    std::vector<ContentConsume> consumes;         // by text
    std::vector<ContentDependency> dependencies;  // as declared
    std::vector<ContentMetadata> metadata;        // the bundle's own
    std::vector<BlockRecord> blocks;
    std::uint64_t raw_bytes = 0;     // of all assets
    std::uint64_t stored_bytes = 0;  // of all blocks
};

// Errors: malformed, corrupt, io; with the bundle's label.
Result<BundleContents> read_contents(const Bundle& bundle);

// "texture=astc lang=fr"; empty without tags.
std::string format_tags(const ContentVariant& variant);
// Text as it is, numbers so that they read back, "true" and "false".
std::string format_value(const MetadataValue& value);

}  // namespace fardel
