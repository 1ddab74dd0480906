// A forge for bundles: bytes made from explicit records, so that any record can be wrong while every hash is right.
//
// Recipe → draft(): the canonical tables of a small good bundle, as values that a test may change → forge(): page
// trees, heads, ids, bytes. It shares no code with the writer or the readers beyond encoding single records and heads,
// and checks nothing. Not for large bundles: everything is in memory.
#pragma once

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

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text);
// `size` bytes that no codec makes smaller; the same for the same seed.
Bytes noise(std::size_t size, std::uint32_t seed);

// ---- What the bundle is to hold; any text, well formed or not
// --------------------------------------------------------

struct Reference {
    struct Internal {
        std::uint32_t asset;
    };  // in Recipe::assets
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

// One piece: stored in a block that it shares with its neighbours. Several: one block each, as a zstd frame where all
// bytes of the piece are equal, else raw.
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

// A bundle with one of each: an empty asset, small ones in one shared block, one of several pieces, variants, tags,
// references of every kind, foreign assets, consumes, dependencies, metadata, a tombstone. About 25 KB.
Recipe small_recipe();
// The same with an asset of several raw blocks, which are aligned, and a streamed one of one large block. About 190 KB.
Recipe recipe_with_raw_pieces();
// Many small assets with a name each: tables of several pages, trees of several levels above some 130.
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

    // Called last, before anything is hashed: a table's records, then each head.
    std::function<void(TableKind, Bytes&)> edit_table;
    std::function<void(BundleHead&)> edit_head;
    std::function<void(LayoutHead&)> edit_layout_head;

    // Where that string stands; the test is at fault if it does not.
    StringRef ref(std::string_view text) const;
    // The record of the asset with these bytes, or of the name with this text.
    std::uint32_t asset_with(std::span<const std::byte> bytes) const;
    std::uint32_t name_with(std::string_view text) const;
    // Makes strings anew from those in use and `text`, keeping every reference right; gives the place of `text`.
    StringRef add_string(std::string_view text);
    // Makes index and buckets of names and assets anew, from the records as they are.
    void index_again();
    // Puts other stored bytes into block `index`, with the right hash and size; the blocks behind it move.
    void store_block(std::uint32_t index, Bytes stored, Codec codec);
};

Draft draft(const Recipe& recipe);

// ---- The bytes ------------------------------------------------------------------------------------------------------

struct ForgedBundle {
    Bytes bytes;
    BundleHead head;
    LayoutHead layout_head;
    BundleId id;
    LayoutId layout_id;
    std::uint64_t raw_bytes = 0;     // as the asset records say
    std::uint64_t stored_bytes = 0;  // as the block records say
};

ForgedBundle forge(const Draft& draft);
ForgedBundle forge(const Recipe& recipe);

// Makes the root and the levels above `records` again; for tests of trees themselves.
std::pair<Hash, Bytes> page_tree(TableKind kind, std::span<const std::byte> records);

// ---- Signatures -----------------------------------------------------------------------------------------------------

// A key made from one byte; anybody can make it.
SecretKey test_key(std::uint8_t seed);

// What a truthful author says about it.
Statement statement_about(const ForgedBundle& bundle, std::string name = "tests/forged");

void append_envelope(ForgedBundle& bundle, const Envelope& envelope);

// Signed by test_key(1) as author and countersigned by test_key(2) as registry.
void sign(ForgedBundle& bundle);
// Demands both.
TrustPolicy test_policy();

// A zstd frame of `size` times the same byte.
Bytes rle_frame(std::byte value, std::size_t size);

}  // namespace fardel::forge
