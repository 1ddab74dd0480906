// BundleContents: everything in the tables of a bundle as plain values, for tools that compare and report.
//
// Memory is proportional to the bundle's tables, and records that claim what others have are malformed. The bundle may
// be hostile: all indexes in the result are valid and all names are well formed. The content of assets is not read.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/format/bundle_plan.h>
#include <fardel/format/ids.h>
#include <fardel/format/manifest.h>
#include <fardel/format/tag.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fardel {

struct ContentMetadata {
    std::string key;
    MetadataValue value;
    bool creator = false;  // from the table of metadata for creators
    friend bool operator==(const ContentMetadata&, const ContentMetadata&) = default;
};

struct ContentReference {
    std::string spelling;  // as the asset writes it
    ReferenceKind kind = ReferenceKind::internal;
    bool optional = false;
    AssetId asset;                 // the target of an internal or foreign reference
    std::string name;              // the target of a dynamic reference, or the name of a static one that has one
    std::uint32_t dependency = 0;  // of a foreign reference: index into BundleContents::dependencies
    friend bool operator==(const ContentReference&, const ContentReference&) = default;
};

struct ContentAsset {
    AssetId id;
    std::string content_type;
    std::uint64_t raw_bytes = 0;
    // The asset's share of the stored bytes of its blocks, in proportion to raw bytes. The sum over all assets is that
    // of all blocks.
    std::uint64_t stored_bytes = 0;
    std::uint32_t first_block = 0;             // index into BundleContents::blocks
    std::vector<Hash> pieces;                  // one per block; empty if the asset has a single one
    std::vector<ContentReference> references;  // by spelling
    std::vector<ContentMetadata> metadata;     // by key; those for creators after the others
};

using ContentVariant = PlannedVariant;  // its asset: index into BundleContents::assets; its tags: by axis
using ContentConsume = PlannedConsume;

struct ContentName {
    std::string text;
    bool published = false;
    bool extends = false;
    std::vector<ContentVariant> variants;  // a single one without tags: a plain name; none: a tombstone
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
    std::vector<ContentMetadata> metadata;        // of the bundle itself
    std::vector<BlockRecord> blocks;
    std::uint64_t raw_bytes = 0;     // of all assets
    std::uint64_t stored_bytes = 0;  // of all blocks
};

// Errors: malformed, corrupt, io; messages begin with the bundle's label.
Result<BundleContents> read_contents(const Bundle& bundle);

// "texture=astc lang=fr"; empty if there are no tags.
std::string format_tags(const ContentVariant& variant);
// Text unchanged, "true" or "false", and numbers with as many digits as parsing them back needs.
std::string format_value(const MetadataValue& value);

}  // namespace fardel
