// A forge for bundles: it builds bytes from explicit records, so that any record can be wrong while every hash is
// right.
//
// Recipe → draft(): the canonical tables of a small good bundle, as values that a test may change → forge(): page
// trees, heads, ids, bytes. A witness: it shares no code with the writer or the readers beyond encoding single records
// and heads, computes offsets, trees and ids itself, and checks nothing. Not for large bundles: everything is in
// memory.
#pragma once

#include "kit/bytes.h"

#include <fardel/format/envelope.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/statement.h>
#include <fardel/format/tag.h>
#include <fardel/format/trust_policy.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fardel::forge {

using tests::Bytes;
using tests::bytes_of;
using tests::noise;

// ---- The content of the bundle; any text is possible, well formed or not --------------------------------------------

struct Reference {
    struct Internal {
        std::uint32_t asset;  // in Recipe::assets
    };
    struct Foreign {
        AssetId asset;
        std::uint32_t dependency;
    };
    struct Dynamic {
        std::string name;
    };
    std::string spelling;
    std::variant<Internal, Foreign, Dynamic> target;
    bool optional = false;
};

using Value = std::variant<std::string, double, std::int64_t, bool>;
using Metadata = std::vector<std::pair<std::string, Value>>;

// An asset of one piece is in a block that it shares with its neighbours. An asset of several pieces has a block per
// piece: a zstd frame if all bytes of the piece are equal, else raw.
struct Asset {
    Bytes bytes;
    std::string content_type = "application/octet-stream";
    bool streamed = false;
    std::vector<Reference> references;
    Metadata metadata;
    Metadata creator_metadata;
};

struct Variant {
    std::uint32_t asset = 0;  // in Recipe::assets
    Tags tags;
};

struct Name {
    std::string text;
    std::vector<Variant> variants;  // none: a tombstone; one without tags: a plain name
    bool published = true;
    bool extends = false;
};

struct Consume {
    std::string text;
    bool pattern = false;
    bool optional = false;
};

struct Dependency {
    BundleId bundle;
    std::string name;
    std::string version;
    bool is_static = true;
};

struct Recipe {
    std::vector<Asset> assets;
    std::vector<Name> names;
    std::vector<Consume> consumes;
    std::vector<Dependency> dependencies;
    Metadata metadata;
    Metadata creator_metadata;
};

// Returns a bundle with every feature: an empty asset, small ones in one shared block, one of several pieces, variants,
// tags, references of every kind, foreign assets, consumes, dependencies, metadata, a tombstone. About 25 KB.
Recipe small_recipe();
// Adds an asset of several raw blocks, which are aligned, and a streamed one of one large block. About 190 KB.
Recipe recipe_with_raw_pieces();
// Returns many small assets with a name each: the tables have several pages, and above about 130 names the page trees
// have several levels.
Recipe wide_recipe(std::size_t names);

// ---- The tables, canonical until a test changes them ----------------------------------------------------------------

struct Draft {
    Bytes strings;
    std::vector<AssetRecord> assets;
    std::vector<std::uint32_t> asset_buckets;
    std::vector<NameRecord> names;
    std::vector<NameBucketRecord> name_buckets;
    std::vector<std::uint32_t> name_filters;
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
    Bytes block_section;
    std::vector<CodecVersion> codecs;

    // These are called last, before anything is hashed: with a table's records, then with each head.
    std::function<void(TableKind, Bytes&)> edit_table;
    std::function<void(BundleHead&)> edit_head;
    std::function<void(LayoutHead&)> edit_layout_head;

    // Returns the offset of that string, which must exist.
    StringRef ref(std::string_view text) const;
    // These return the index of the asset with these bytes, or of the name with this text.
    std::uint32_t asset_with(std::span<const std::byte> bytes) const;
    std::uint32_t name_with(std::string_view text) const;
    // Rebuilds the string table from the strings in use and `text`, and updates every reference; returns the offset of
    // `text`.
    StringRef add_string(std::string_view text);
    // Rebuilds index and buckets of names and assets from the current records.
    void index_again();
    // Replaces the stored bytes of block `index`, with the right hash and size; the blocks behind it move.
    void store_block(std::uint32_t index, Bytes stored, Codec codec);
};

Draft draft(const Recipe& recipe);

// Returns the first block of the music in the small recipe: a frame of 65536 times 7. Only the music has this codec.
std::uint32_t music_block(const Draft& draft);

// ---- The bytes ------------------------------------------------------------------------------------------------------

struct ForgedBundle {
    Bytes bytes;
    BundleHead head;
    LayoutHead layout_head;
    BundleId id;
    LayoutId layout_id;
    std::uint64_t raw_bytes = 0;     // sum over the asset records
    std::uint64_t stored_bytes = 0;  // sum over the block records
};

ForgedBundle forge(const Draft& draft);
ForgedBundle forge(const Recipe& recipe);

// Computes the root and the levels above `records`; for tests of the trees themselves.
std::pair<Hash, Bytes> page_tree(TableKind kind, std::span<const std::byte> records);

// ---- Signatures -----------------------------------------------------------------------------------------------------

// A key that is derived from one byte, so it protects nothing.
SecretKey test_key(std::uint8_t seed);

// The statement that an honest author makes about a bundle of that name, version 1.0; the default is small_recipe()'s.
Statement statement_about(const ForgedBundle& bundle, std::string name = "tests/small");

void append_envelope(ForgedBundle& bundle, const Envelope& envelope);

// Signs with test_key(1) as author and countersigns with test_key(2) as registry.
void sign(ForgedBundle& bundle);
// Requires both signatures of sign().
TrustPolicy test_policy();

// Returns a zstd frame of `size` times the same byte.
Bytes rle_frame(std::byte value, std::size_t size);

}  // namespace fardel::forge
