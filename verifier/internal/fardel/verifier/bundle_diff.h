// BundleDiff: what changed from one bundle to another, in names and what they give, in what is expected of others, and
// in bytes. Pure but for reading both bundles' tables; content is not read. docs/man/fardel-diff.1 shows it to people.
#pragma once

#include <fardel/format/bundle.h>
#include <fardel/format/result.h>
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

// A name as one of the bundles has it.
struct DiffName {
    std::string text;
    bool published = false;
    bool extends = false;
    std::vector<DiffVariant> variants;  // as in the bundle: the first is the default; none: a tombstone
    bool tombstone() const noexcept { return variants.empty(); }
};

enum class DiffAspect : std::uint8_t {
    content,  // another asset behind the same tags
    content_type,
    variants,  // other tags, or another order of them
    published,
    extends,
    tombstone,   // one of both is
    references,  // other link tables of the same assets
    metadata,    // of the same assets
};
std::string_view diff_aspect_name(DiffAspect aspect) noexcept;

// Of one name, what changed; of a renamed one, where it went: the aspects are empty then.
struct DiffChange {
    DiffName before;
    DiffName after;
    std::vector<DiffAspect> aspects;  // ascending
};

// What is in one of both alone; both sides: changed. Keys: a consumed text, a metadata key, a dependency's name.
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
    std::vector<DiffChange> renamed;  // the same in everything under another name; by the new one
    std::vector<DiffPair<ContentConsume>> consumes;
    std::vector<DiffPair<ContentDependency>> dependencies;  // one bundle id, else one name, is one dependency
    bool dependency_order = false;  // the same ones in another order, which decides about scoped names
    std::vector<DiffPair<ContentMetadata>> metadata;
    bool signatures = false;  // other ones, while what is signed may be the same
    DiffSizes before, after;
    // Of the second, what a client that holds the first has to fetch: blocks that are not in the first as they are
    // stored, and hold something that the first does not have in another block.
    std::uint64_t fetch_bytes = 0;
    std::uint64_t fetch_blocks = 0;

    bool same_bundle() const noexcept { return before_id == after_id; }
    // Only how the bytes are stored differs.
    bool layout_only() const noexcept { return same_bundle() && before_layout != after_layout; }
    bool empty() const noexcept { return same_bundle() && before_layout == after_layout && !signatures; }
};

// Errors: those of read_contents.
Result<BundleDiff> diff_bundles(const Bundle& before, const Bundle& after);

}  // namespace fardel
