// Reads a whole bundle from memory, sharing nothing with the reader but the records, and checks every rule of
// docs/bundle-format.md on the way: what the writer made is held against the document, not against the reader.
#pragma once

#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel::tests {

struct AuditedBundle {
    BundleHead head;
    LayoutHead layout;
    BundleId id;
    LayoutId layout_id;
    std::map<StringRef, std::string> strings;
    std::vector<AssetRecord> assets;
    std::vector<NameRecord> names;
    std::vector<Hash> pieces;
    std::vector<VariantRecord> variants;
    std::vector<TagRecord> tags;
    std::vector<ReferenceRecord> references;
    std::vector<ForeignAssetRecord> foreign_assets;
    std::vector<ConsumeRecord> consumes;
    std::vector<DependencyRecord> dependencies;
    std::vector<MetadataRecord> metadata;
    std::vector<MetadataRecord> creator_metadata;
    std::vector<PlacementRecord> placements;
    std::vector<BlockRecord> blocks;
    std::vector<std::vector<std::byte>> contents;  // of each asset

    const std::string& text(StringRef ref) const { return strings.at(ref); }
    // By the name's text; a failed REQUIRE where it is not.
    const NameRecord& name(std::string_view text) const;
    std::uint32_t asset_named(std::string_view text) const;
    std::string content_named(std::string_view text) const;
    // "key=value" of a subject, in the order of the table; numbers as std::to_string gives them.
    std::vector<std::string> metadata_of(std::uint32_t subject) const;
    // "spelling->target" of an asset, in the order of the table; targets as "#<asset>", "foreign <n>" or the name, with
    // "?" where it is optional.
    std::vector<std::string> references_of(std::uint32_t asset) const;
};

// A failed REQUIRE on the first rule that is broken.
AuditedBundle audit(std::span<const std::byte> file);

}  // namespace fardel::tests
