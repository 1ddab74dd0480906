// Bundle: one open bundle file; finds assets by id and name and reads their bytes, each byte verified.
//
// open() reads only the two heads and the trailer, and with a policy the bundle's name and version, so it costs the
// same for ten assets and ten million. Table pages are read and checked against the head's page trees when they are
// first touched. Whoever signed the layout, the bytes of an asset or piece are compared with the manifest's hash when
// they are first read, and the stored bytes with theirs on every read. A Bundle is immutable and may be used from any
// number of threads; its only shared mutable state is the page states, the proofs of assets and pieces, and the block
// cache. Returned views live as long as the Bundle. Input is hostile: every index and size is checked before use.
// Any function may return the errors corrupt (bytes differ from their hash), malformed (a verified table is impossible)
// and io.
#pragma once

#include <fardel/base/result.h>
#include <fardel/format/byte_source.h>
#include <fardel/format/envelope.h>
#include <fardel/format/ids.h>
#include <fardel/format/name.h>
#include <fardel/format/trust_policy.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fardel {

// The records of a bundle's tables and its two heads, for Fardel's own code. Internal headers define them.
enum class TableKind : std::uint32_t;
enum class AssetIndex : std::uint32_t;  // record of the assets table
enum class NameIndex : std::uint32_t;   // record of the names table
using StringRef = std::uint32_t;        // byte offset in the strings table
struct AssetRecord;
struct BlockRecord;
struct BundleHead;
struct ConsumeRecord;
struct DependencyRecord;
struct ForeignAssetRecord;
struct LayoutHead;
struct MetadataRecord;
struct NameRecord;
struct PlacementRecord;
struct ReferenceRecord;
struct TagRecord;
struct VariantRecord;
class BlockCache;

struct BundleOptions {
    // Decides whose signatures are required. nullptr: no signature is required; the bundle is then `tainted`.
    const TrustPolicy* policy = nullptr;
    TrustTime time;                     // for dates in statements
    std::shared_ptr<BlockCache> cache;  // nullptr: no cache
    std::string label;                  // identifies the bundle in errors; usually its path
    // The time by which verify_asset_date() judges; nothing: no asset has expired.
    std::optional<UnixTime> content_time = std::nullopt;
};

class Bundle {
public:
    // Errors: malformed, unsupported, limit, corrupt, io, and the policy's untrusted, revoked, expired.
    static Result<std::shared_ptr<const Bundle>> open(std::shared_ptr<const ByteSource> source, BundleOptions options);
    ~Bundle();
    Bundle(const Bundle&) = delete;
    Bundle& operator=(const Bundle&) = delete;

    const BundleId& id() const noexcept;
    const LayoutId& layout_id() const noexcept;
    const BundleHead& head() const noexcept;
    const LayoutHead& layout_head() const noexcept;
    const std::vector<Envelope>& envelopes() const noexcept;
    // The policy's verdict. If the policy is nullptr: unsigned, tainted.
    const TrustVerdict& verdict() const noexcept;
    // What a policy says about it now; verdict() stays. Errors: those of TrustPolicy::evaluate.
    Result<TrustVerdict> judge(const TrustPolicy& policy, const TrustTime& time) const;
    const std::string& label() const noexcept;

    std::uint32_t asset_count() const noexcept;
    std::uint32_t name_count() const noexcept;
    std::uint64_t table_count(TableKind kind) const noexcept;  // 0 for an absent table

    // Look-ups. `hash` is name_hash(name); a caller with many bundles computes it once.
    Result<std::optional<AssetIndex>> find_asset(const AssetId& id) const;
    Result<std::optional<NameIndex>> find_name(std::string_view name, CaseRule rule = CaseRule::exact) const {
        return find_name(name, name_hash(name), rule);
    }
    Result<std::optional<NameIndex>> find_name(std::string_view name, std::uint64_t hash, CaseRule rule) const;
    // A hint: find_name() of a name with this hash comes soon, after other work.
    void prefetch_name(std::uint64_t hash) const noexcept;
    // Returns the first name ≥ text in byte order; name_count() if there is none. For listing.
    Result<NameIndex> lower_bound_name(std::string_view text) const;

    // Records. Errors: malformed for an index past the end of the table.
    Result<AssetRecord> asset(AssetIndex index) const;
    Result<NameRecord> name(NameIndex index) const;
    Result<std::string_view> name_text(NameIndex index) const;  // not yet verified: see verify_name
    Result<std::string_view> string(StringRef ref) const;
    Result<VariantRecord> variant(std::uint32_t index) const;
    Result<TagRecord> tag(std::uint32_t index) const;
    Result<ReferenceRecord> reference(std::uint32_t index) const;
    Result<ForeignAssetRecord> foreign_asset(std::uint32_t index) const;
    Result<ConsumeRecord> consume(std::uint32_t index) const;
    Result<DependencyRecord> dependency(std::uint32_t index) const;
    Result<MetadataRecord> metadata(std::uint32_t index) const;
    Result<MetadataRecord> creator_metadata(std::uint32_t index) const;
    Result<PlacementRecord> placement(AssetIndex index) const;
    Result<BlockRecord> block(std::uint32_t index) const;
    // Returns the bundle's own metadata text under `key` ("name", "version", …), if any.
    Result<std::optional<std::string_view>> find_bundle_text(std::string_view key) const;

    // Whether the date in the bundle's own metadata (`expires`) has not passed. open() does not ask. Error: expired.
    Status verify_content_date(std::optional<UnixTime> now) const;
    // Whether the date in the metadata of an asset (`expires`) has not passed at BundleOptions::content_time. Whatever
    // gives bytes of an asset with metadata to a game asks it first. Error: expired.
    Status verify_asset_date(AssetIndex index) const;

    // Whether the policy lets its signers bring some classes of content only.
    bool limits_classes() const noexcept { return verdict().brings < ContentClass::code; }
    // Whether the policy lets its signers bring the classes of content that its names show; reads all names. An instant
    // if the verdict sets no limit. Errors: denied.
    Status verify_name_classes() const;
    // The same for the first bytes of an asset, and for all names. Whatever gives bytes of the asset under a policy
    // asks it first. An instant if there is no limit, or for an asset that has passed already. Errors: denied.
    Status verify_class(AssetIndex index) const;

    // Whether the bundle's own metadata requires a licence token (`license-token`). The text says where to get one; it
    // may be empty.
    Result<std::optional<std::string_view>> find_license_requirement() const;
    // Whether the bundle may be used: it requires no token, or the policy believes one of these. open() does not ask.
    // Errors: untrusted (also without a policy), missing, revoked, expired.
    Status verify_license(const TrustPolicy* policy, std::span<const Envelope> tokens, const TrustTime& time) const;

    // Returns the asset of a name without variants, or its first (default) variant. Errors: missing for a tombstone.
    Result<AssetIndex> default_asset(const NameRecord& name) const;

    // Reads verified bytes. read_at fills the whole of `out`; offset + out.size() ≤ raw_bytes, otherwise limit. On
    // error the contents of `out` are unspecified and must not be used; bytes that failed their check are never left in
    // it.
    Status read_at(AssetIndex index, std::uint64_t offset, std::span<std::byte> out) const;
    // Reads the whole asset. `bytes_max` bounds the allocation; a larger asset is a limit error.
    Result<std::vector<std::byte>> read_all(AssetIndex index, std::uint64_t bytes_max = 1ull << 32) const;
    // Returns a view of the stored bytes without a copy, after comparing them with their hashes: for assets whose
    // blocks are stored raw and adjacent in a source that can be mapped; otherwise unsupported. ByteSource::map states
    // what the caller must guarantee. offset + length ≤ raw_bytes and length > 0, otherwise limit.
    Result<std::shared_ptr<const std::byte[]>> view(AssetIndex index, std::uint64_t offset, std::uint64_t length) const;
    // The part of the file with the blocks that a read of the range needs, so that callers can sort and merge reads.
    // stored_range reads no block. Errors: limit (past the end), malformed.
    struct StoredRange {
        std::uint64_t offset = 0;
        std::uint64_t length_bytes = 0;
    };
    Result<StoredRange> stored_range(AssetIndex index, std::uint64_t offset, std::uint64_t length) const;
    // Returns the blocks with the content of an asset; none for an empty one. Error: malformed (its placement).
    Result<std::vector<BlockRecord>> blocks_of(AssetIndex index) const;
    // Whether they all are here (ByteSource::holds). Reads the tables that it needs, and no block.
    Result<bool> holds_content(AssetIndex index) const;
    // Reads the whole asset in bounded memory and compares it with its id: the complete check for `/assets/<id>`.
    Status verify_asset(AssetIndex index) const;

    // Returns verified bytes of a table for the verifier; offset and length are within the table.
    Result<std::span<const std::byte>> table_bytes(TableKind kind, std::uint64_t offset, std::uint64_t length) const;
    // Reads every page of every table, and so compares all of them with the heads. Bytes between tables do not count.
    Status verify_tables() const;
    const std::shared_ptr<const ByteSource>& source() const noexcept;

private:
    struct Impl;
    explicit Bundle(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace fardel
