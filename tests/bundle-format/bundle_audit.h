// Reads a whole bundle from memory and checks every rule of docs/bundle-format.md on the way. A witness: it shares only
// the records with the reader, so the writer's output is compared with the document and not with the reader.
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
    // These look up a name by its text; REQUIRE fails if it does not exist.
    const NameRecord& name(std::string_view text) const;
    std::uint32_t asset_named(std::string_view text) const;
    std::string content_named(std::string_view text) const;
    // Returns "key=value" for each metadata entry of a subject, in the order of the table; numbers are formatted by
    // std::to_string.
    std::vector<std::string> metadata_of(std::uint32_t subject) const;
    // Returns "spelling->target" for each reference of an asset, in the order of the table. A target is "#<asset>",
    // "foreign <n>" or the name, with "?" if the reference is optional.
    std::vector<std::string> references_of(std::uint32_t asset) const;
};

// REQUIRE fails at the first broken rule.
AuditedBundle audit(std::span<const std::byte> file);

}  // namespace fardel::tests
