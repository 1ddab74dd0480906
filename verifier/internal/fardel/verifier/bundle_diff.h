// BundleDiff: what changed from one bundle to another: names and their assets, consumes, dependencies, metadata and
// bytes. Reads the tables of both bundles, and no content. docs/man/fardel-diff.1 describes the output for people.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/bundle.h>
#include <fardel/verifier/bundle_contents.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

struct DiffVariant {
    std::string tags;  // format_tags
    AssetId asset;
    std::uint64_t raw_bytes = 0;
    std::string content_type;
    friend bool operator==(const DiffVariant&, const DiffVariant&) = default;
};

// A name in one of the two bundles.
struct DiffName {
    std::string text;
    bool published = false;
    bool extends = false;
    std::vector<DiffVariant> variants;  // in the bundle's order, the first is the default; none: a tombstone
    bool tombstone() const noexcept { return variants.empty(); }
};

enum class DiffAspect : std::uint8_t {
    content,  // the same tags lead to another asset
    content_type,
    variants,  // other tags, or the same in another order
    published,
    extends,
    tombstone,   // one of the two is a tombstone
    references,  // the same assets have other references
    metadata,    // the same assets have other metadata
};
std::string_view diff_aspect_name(DiffAspect aspect) noexcept;

// What changed about a name. For a renamed one, both names; `aspects` is empty.
struct DiffChange {
    DiffName before;
    DiffName after;
    std::vector<DiffAspect> aspects;  // ascending
};

// A value that is in one bundle only, or that differs between both. Values are paired by the text of a consume, the key
// of a metadata entry, the id or name of a dependency.
template <class Value>
struct DiffPair {
    std::optional<Value> before;
    std::optional<Value> after;
};

struct DiffSizes {
    std::uint64_t assets = 0;
    std::uint64_t names = 0;
    std::uint64_t raw_bytes = 0;
    std::uint64_t stored_bytes = 0;
    std::uint64_t file_bytes = 0;
};

struct BundleDiff {
    BundleId before_id, after_id;
    LayoutId before_layout, after_layout;
    std::vector<DiffName> added;  // each list by name
    std::vector<DiffName> removed;
    std::vector<DiffChange> changed;
    std::vector<DiffChange> renamed;  // equal except for the name; sorted by the new one
    std::vector<DiffPair<ContentConsume>> consumes;
    std::vector<DiffPair<ContentDependency>> dependencies;  // paired by bundle id, otherwise by name
    bool dependency_order = false;  // the order of common ones differs, which affects scoped names
    std::vector<DiffPair<ContentMetadata>> metadata;
    bool signatures = false;  // the envelopes differ
    DiffSizes before, after;
    // What a client with the first bundle must fetch of the second: each block that contains an asset or piece which
    // the first bundle lacks, unless the first bundle stores the same block.
    std::uint64_t fetch_bytes = 0;
    std::uint64_t fetch_blocks = 0;

    bool same_bundle() const noexcept { return before_id == after_id; }
    // Whether only the layout differs.
    bool layout_only() const noexcept { return same_bundle() && before_layout != after_layout; }
    bool empty() const noexcept { return same_bundle() && before_layout == after_layout && !signatures; }
};

// Errors: those of read_contents.
Result<BundleDiff> diff_bundles(const Bundle& before, const Bundle& after);

}  // namespace fardel
