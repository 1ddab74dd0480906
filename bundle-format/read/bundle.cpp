#include <fardel/base/fits.h>
#include <fardel/format/bundle.h>

#include "block_reader.h"
#include "bundle_tables.h"
#include "class_limit.h"
#include "name_lookup.h"
#include "tables/buckets.h"
#include "trust/signed_statements.h"

#include <fardel/format/bundle_metadata.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>
#include <fardel/format/printable.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

constexpr std::string_view kLicenseKey = "license-token";

}  // namespace

struct Bundle::Impl {
    std::shared_ptr<const ByteSource> source;
    std::string label;
    std::shared_ptr<BlockCache> cache;
    BundleId id;
    LayoutId layout_id;
    BundleHead head;
    LayoutHead layout;
    std::vector<Envelope> envelopes;
    TrustVerdict verdict;
    std::unique_ptr<ClassLimit> class_limit;  // nullptr: its signers may bring everything
    BundleTables tables;
    std::optional<BlockReader> blocks;
    std::uint32_t asset_count = 0;
    std::uint32_t name_count = 0;
    std::optional<UnixTime> content_time;
    alignas(64) NamePages name_pages;  // of `tables`

    // Only this function adds the bundle's label to an error.
    Error named(Error error) const { return label.empty() ? std::move(error) : std::move(error).with_context(label); }
    template <class T>
    Result<T> named(Result<T>&& result) const {
        if (result)
            return std::move(result);
        return named(std::move(result).error());
    }

    Status read_heads();
    Status read_trailer(const TrustPolicy* policy, const TrustTime& time);
    Status open_tables();
    Result<std::optional<MetadataRecord>> find_own(std::string_view key, MetadataKind kind) const;
    Result<std::optional<std::string_view>> find_text(std::string_view key) const;
    Result<BundleIdentity> identity() const;
    Result<std::optional<AssetIndex>> find_asset(const AssetId& wanted) const;
    // Not inline, so that find_name() saves no registers for the time after it.
    [[gnu::noinline]] Result<std::optional<NameIndex>> read_name(const NameQuery& query) const {
        return named(fardel::read_name(tables, query));
    }
};

Bundle::Bundle(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Bundle::~Bundle() = default;

Result<std::shared_ptr<const Bundle>> Bundle::open(std::shared_ptr<const ByteSource> source, BundleOptions options) {
    auto impl = std::make_unique<Impl>();
    impl->source = std::move(source);
    impl->label = std::move(options.label);
    impl->cache = std::move(options.cache);
    impl->content_time = options.content_time;
    if (Status status = impl->read_heads(); !status)
        return impl->named(std::move(status).error());
    if (Status status = impl->open_tables(); !status)
        return impl->named(std::move(status).error());
    // The trailer comes last: the policy judges a statement by the manifest's name and version, which are in the
    // tables.
    if (Status status = impl->read_trailer(options.policy, options.time); !status)
        return impl->named(std::move(status).error());
    // Whoever may bring code may bring everything, so nothing has to be looked at.
    if (impl->verdict.brings < ContentClass::code)
        impl->class_limit = std::make_unique<ClassLimit>(impl->verdict.brings, impl->asset_count);
    return std::shared_ptr<const Bundle>(new Bundle(std::move(impl)));
}

Status Bundle::Impl::open_tables() {
    FARDEL_TRY_ASSIGN(tables, BundleTables::open(*source, head, layout));
    asset_count = static_cast<std::uint32_t>(tables.table(TableKind::assets).count());
    name_count = static_cast<std::uint32_t>(tables.table(TableKind::names).count());
    name_pages = NamePages(tables);
    FARDEL_TRY_ASSIGN(ProvedRuns proved, ProvedRuns::open(asset_count, tables.table(TableKind::pieces).count()));
    blocks.emplace(*source, layout, std::move(proved), cache);
    return ok();
}

Status Bundle::Impl::read_heads() {
    if (source->size_bytes() == 0)
        return Error(ErrorCode::malformed, "not a Fardel bundle (the file is empty)");
    std::array<std::byte, 2 * limits::kHeadBytes> bytes{};
    const std::size_t size = in_memory(std::min<std::uint64_t>(source->size_bytes(), bytes.size()));
    FARDEL_TRY(source->read_at(0, std::span(bytes).first(size)));
    HeadBytes head_bytes;
    HeadBytes layout_bytes;
    std::memcpy(head_bytes.data(), bytes.data(), head_bytes.size());
    std::memcpy(layout_bytes.data(), bytes.data() + head_bytes.size(), layout_bytes.size());

    FARDEL_TRY_ASSIGN(head, decode_head(head_bytes));
    // Only now: a file that is too short and no bundle should be called no bundle.
    if (size < bytes.size())
        return Error(ErrorCode::malformed,
                     "the file is cut short: " + std::to_string(size) + " bytes, the heads alone have 8192");
    FARDEL_TRY_ASSIGN(layout, decode_layout_head(layout_bytes));
    id = bundle_id(head_bytes);
    layout_id = fardel::layout_id(layout_bytes);
    return verify_sections(head, id, layout, source->size_bytes());
}

Result<BundleIdentity> Bundle::Impl::identity() const {
    BundleIdentity own{.bundle = id, .layout = layout_id, .name = {}, .version = {}};
    FARDEL_TRY_ASSIGN(const auto name, find_text("name"));
    FARDEL_TRY_ASSIGN(const auto version, find_text("version"));
    own.name = name.value_or("");
    own.version = version.value_or("");
    return own;
}

Status Bundle::Impl::read_trailer(const TrustPolicy* policy, const TrustTime& time) {
    std::vector<std::byte> trailer(
        in_memory(source->size_bytes() - layout.trailer_offset));  // ≤ kTrailerBytesMax: verify_sections
    FARDEL_TRY(source->read_at(layout.trailer_offset, trailer));
    FARDEL_TRY_ASSIGN(envelopes, decode_trailer(trailer));
    if (!policy) {
        verdict.tainted = true;
        return ok();
    }
    FARDEL_TRY_ASSIGN(const BundleIdentity own, identity());
    FARDEL_TRY_ASSIGN(verdict, policy->evaluate(envelopes, own, time.now()));
    if (verdict.trusted)
        return ok();
    if (verdict.refusal)
        return *verdict.refusal;
    return Error(ErrorCode::untrusted, "the trust policy does not accept it");
}

const BundleId& Bundle::id() const noexcept { return impl_->id; }
const LayoutId& Bundle::layout_id() const noexcept { return impl_->layout_id; }
const BundleHead& Bundle::head() const noexcept { return impl_->head; }
const LayoutHead& Bundle::layout_head() const noexcept { return impl_->layout; }
const std::vector<Envelope>& Bundle::envelopes() const noexcept { return impl_->envelopes; }
const TrustVerdict& Bundle::verdict() const noexcept { return impl_->verdict; }
Result<TrustVerdict> Bundle::judge(const TrustPolicy& policy, const TrustTime& time) const {
    FARDEL_TRY_ASSIGN(const BundleIdentity own, impl_->identity());
    return policy.evaluate(impl_->envelopes, own, time.now());
}
const std::string& Bundle::label() const noexcept { return impl_->label; }
std::uint32_t Bundle::asset_count() const noexcept { return impl_->asset_count; }
std::uint32_t Bundle::name_count() const noexcept { return impl_->name_count; }
std::uint64_t Bundle::table_count(TableKind kind) const noexcept { return impl_->tables.table(kind).count(); }
const std::shared_ptr<const ByteSource>& Bundle::source() const noexcept { return impl_->source; }

Result<std::optional<AssetIndex>> Bundle::Impl::find_asset(const AssetId& wanted) const {
    if (asset_count == 0)
        return std::optional<AssetIndex>();
    FARDEL_TRY_ASSIGN(const BundleTables::Range range, tables.asset_bucket(leading_bits(wanted), asset_count));
    if (range.first == range.last)
        return std::optional<AssetIndex>();
    constexpr std::uint64_t kSize = record_bytes(TableKind::assets);
    FARDEL_TRY_ASSIGN(const std::byte* records,
                      tables.table(TableKind::assets).touch(range.first * kSize, (range.last - range.first) * kSize));
    // Ids are uniform, so a bucket has two to four assets and a scan beats a search; a bucket of more than 256 is
    // refused.
    for (std::uint32_t i = range.first; i < range.last; ++i, records += kSize)
        if (std::memcmp(records, wanted.bytes.data(), 32) == 0)
            return std::optional(AssetIndex{i});
    return std::optional<AssetIndex>();
}

Result<std::optional<AssetIndex>> Bundle::find_asset(const AssetId& id) const {
    return impl_->named(impl_->find_asset(id));
}

Result<std::optional<NameIndex>> Bundle::find_name(std::string_view name, std::uint64_t hash, CaseRule rule) const {
    const NameQuery query{.name = name, .hash = hash, .rule = rule};
    // Tries the pages that were verified before; anything else (a page that is not here, a fold) takes the longer way.
    const NamePeek peek = peek_name(impl_->name_pages, query);
    if (peek.answer == NamePeek::Answer::found)
        return std::optional(NameIndex{peek.name});
    if (peek.answer == NamePeek::Answer::absent)
        return std::optional<NameIndex>();
    return impl_->read_name(query);
}

void Bundle::prefetch_name(std::uint64_t hash) const noexcept { fardel::prefetch_name(impl_->name_pages, hash); }

Result<NameIndex> Bundle::lower_bound_name(std::string_view text) const {
    std::uint32_t low = 0;
    std::uint32_t high = name_count();
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        FARDEL_TRY_ASSIGN(const std::string_view candidate, name_text(NameIndex{middle}));
        if (candidate < text)
            low = middle + 1;
        else
            high = middle;
    }
    return NameIndex{low};
}

Result<AssetRecord> Bundle::asset(AssetIndex index) const {
    auto record = impl_->tables.record<AssetRecord>(static_cast<std::uint32_t>(index));
    if (record && record->raw_bytes == 0 && record->id != asset_id_of({}))  // no read would compare them
        record = Error(ErrorCode::corrupt, "asset " + record->id.hex() + ": no bytes have another id");
    if (!record)
        record = impl_->named(std::move(record).error());
    return record;
}
Result<NameRecord> Bundle::name(NameIndex index) const {
    auto record = impl_->tables.record<NameRecord>(static_cast<std::uint32_t>(index));
    if (!record)
        record = impl_->named(std::move(record).error());
    return record;
}
Result<std::string_view> Bundle::string(StringRef ref) const { return impl_->named(impl_->tables.string(ref)); }
Result<VariantRecord> Bundle::variant(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<VariantRecord>(index));
}
Result<TagRecord> Bundle::tag(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<TagRecord>(index));
}
Result<ReferenceRecord> Bundle::reference(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<ReferenceRecord>(index));
}
Result<ForeignAssetRecord> Bundle::foreign_asset(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<ForeignAssetRecord>(index));
}
Result<ConsumeRecord> Bundle::consume(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<ConsumeRecord>(index));
}
Result<DependencyRecord> Bundle::dependency(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<DependencyRecord>(index));
}
Result<MetadataRecord> Bundle::metadata(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<MetadataRecord>(index));
}
Result<MetadataRecord> Bundle::creator_metadata(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<MetadataRecord>(index, TableKind::creator_metadata));
}
Result<PlacementRecord> Bundle::placement(AssetIndex index) const {
    return impl_->named(impl_->tables.record<PlacementRecord>(static_cast<std::uint32_t>(index)));
}
Result<BlockRecord> Bundle::block(std::uint32_t index) const {
    return impl_->named(impl_->tables.record<BlockRecord>(index));
}

Result<std::string_view> Bundle::name_text(NameIndex index) const {
    FARDEL_TRY_ASSIGN(const NameRecord record, name(index));
    return string(record.text);
}

// The bundle's own records come last: walk back from the end while the subject is the bundle.
Result<std::optional<MetadataRecord>> Bundle::Impl::find_own(std::string_view key, MetadataKind kind) const {
    const auto count = static_cast<std::uint32_t>(tables.table(TableKind::metadata).count());
    // Bounded, because sortedness is the verifier's to prove: a hostile table could give every record to the bundle.
    for (std::uint32_t i = count; i-- > 0 && count - i <= limits::kMetadataPerSubjectMax;) {
        FARDEL_TRY_ASSIGN(const MetadataRecord record, tables.record<MetadataRecord>(i));
        if (record.subject != kBundleSubject)
            break;
        FARDEL_TRY_ASSIGN(const std::string_view found, tables.string(record.key));
        if (found == key && record.kind == kind)
            return std::optional(record);
    }
    return std::optional<MetadataRecord>();
}

Result<std::optional<std::string_view>> Bundle::Impl::find_text(std::string_view key) const {
    FARDEL_TRY_ASSIGN(const auto record, find_own(key, MetadataKind::text));
    if (!record)
        return std::optional<std::string_view>();
    FARDEL_TRY_ASSIGN(const std::string_view text, tables.string(static_cast<StringRef>(record->value)));
    return std::optional(text);
}

Status Bundle::verify_content_date(std::optional<UnixTime> now) const {
    if (!now)
        return ok();
    auto record = impl_->find_own("expires", MetadataKind::integer);
    if (!record)
        return impl_->named(std::move(record).error());
    if (!*record || !has_passed((*record)->date(), now))
        return ok();
    return impl_->named(
        Error(ErrorCode::expired, "its content expired on " + shown_date((*record)->date()) +
                                      "; the line \"expired-content allow\" in a trust policy lets it be mounted"));
}

Status Bundle::verify_asset_date(AssetIndex index) const {
    if (!impl_->content_time)
        return ok();
    FARDEL_TRY_ASSIGN(const auto stated, asset_metadata(*this, index));
    for (const StatedMetadata& one : stated)
        if (one.key == "expires" && one.record.kind == MetadataKind::integer &&
            has_passed(one.record.date(), impl_->content_time)) {
            FARDEL_TRY_ASSIGN(const AssetRecord record, asset(index));
            return impl_->named(
                Error(ErrorCode::expired, "asset " + record.id.hex() + " expired on " + shown_date(one.record.date()) +
                                              "; look for a newer version of the bundle, or mount it under a trust "
                                              "policy with the line \"expired-content allow\""));
        }
    return ok();
}

Status Bundle::verify_name_classes() const {
    return impl_->class_limit == nullptr ? ok() : impl_->class_limit->verify_names(*this);
}

Status Bundle::verify_class(AssetIndex index) const {
    return impl_->class_limit == nullptr ? ok() : impl_->class_limit->verify_asset(*this, index);
}

Result<std::optional<std::string_view>> Bundle::find_license_requirement() const {
    FARDEL_TRY_ASSIGN(const auto text, impl_->named(impl_->find_text(kLicenseKey)));
    if (text)
        return text;
    // A requirement of the wrong kind still is one: failing open would mount what its author meant to sell.
    for (const MetadataKind kind : {MetadataKind::boolean, MetadataKind::integer, MetadataKind::number}) {
        FARDEL_TRY_ASSIGN(const auto record, impl_->named(impl_->find_own(kLicenseKey, kind)));
        if (record && !(kind == MetadataKind::boolean && record->value == 0))
            return std::optional(std::string_view());
    }
    return std::optional<std::string_view>();
}

Status Bundle::verify_license(const TrustPolicy* policy, std::span<const Envelope> tokens,
                              const TrustTime& time) const {
    FARDEL_TRY_ASSIGN(const auto requirement, find_license_requirement());
    if (!requirement || (policy != nullptr && policy->rules().unlicensed_allowed))
        return ok();
    if (policy == nullptr)
        return impl_->named(Error(ErrorCode::untrusted,
                                  "it requires a license token, and there is no trust policy that says whose count"));
    FARDEL_TRY_ASSIGN(const BundleIdentity identity, impl_->named(impl_->identity()));
    Status permitted = policy->verify_license(tokens, identity, time.now());
    if (permitted || requirement->empty())
        return permitted ? std::move(permitted) : impl_->named(std::move(permitted).error());
    const ErrorCode code = permitted.error().code();
    return impl_->named(Error(code, permitted.error().message() + "; the bundle says: " + printable(*requirement)));
}

Result<std::optional<std::string_view>> Bundle::find_bundle_text(std::string_view key) const {
    return impl_->named(impl_->find_text(key));
}

Result<AssetIndex> Bundle::default_asset(const NameRecord& name) const {
    if (name.is(NameRecord::tombstone))
        return impl_->named(Error(ErrorCode::missing, "the name is a tombstone"));
    std::uint32_t target = name.target;
    if (name.is(NameRecord::has_variants)) {
        FARDEL_TRY_ASSIGN(const VariantRecord first, variant(target));
        target = first.asset;
    }
    // Tables are proved page by page and not against each other, so each index that a record has meets its bound here.
    if (target >= asset_count())
        return impl_->named(Error(ErrorCode::malformed, "a name leads to asset " + std::to_string(target) + " of " +
                                                            std::to_string(asset_count())));
    return AssetIndex{target};
}

Status Bundle::read_at(AssetIndex index, std::uint64_t offset, std::span<std::byte> out) const {
    FARDEL_TRY_ASSIGN(const AssetRecord& record, asset(index));
    if (!fits(offset, out.size(), record.raw_bytes))
        return Error(ErrorCode::limit, "a read past the asset's end");
    Status status = impl_->blocks->read(impl_->tables, index, record, offset, out);
    if (status)
        return status;
    return impl_->named(std::move(status).error().with_context("asset " + record.id.hex()));
}

Result<std::vector<std::byte>> Bundle::read_all(AssetIndex index, std::uint64_t bytes_max) const {
    FARDEL_TRY_ASSIGN(const AssetRecord record, asset(index));
    if (record.raw_bytes > bytes_max)
        return impl_->named(Error(ErrorCode::limit, "asset " + record.id.hex() + ": " +
                                                        std::to_string(record.raw_bytes) + " bytes, the caller takes " +
                                                        std::to_string(bytes_max)));
    // A claimed size must have enough blocks before memory of that size is allocated.
    if (record.piece_count() > table_count(TableKind::blocks))
        return impl_->named(
            Error(ErrorCode::malformed, "asset " + record.id.hex() + ": larger than all blocks of the bundle"));
    if (!fits_memory(record.raw_bytes))
        return impl_->named(Error(ErrorCode::limit, "asset " + record.id.hex() + ": its " +
                                                        std::to_string(record.raw_bytes) +
                                                        " bytes do not fit into this machine's memory; read ranges"));
    std::vector<std::byte> out(in_memory(record.raw_bytes));
    FARDEL_TRY(read_at(index, 0, out));
    return out;
}

Result<std::shared_ptr<const std::byte[]>> Bundle::view(AssetIndex index, std::uint64_t offset,
                                                        std::uint64_t length) const {
    FARDEL_TRY_ASSIGN(const AssetRecord record, asset(index));
    if (length == 0 || !fits(offset, length, record.raw_bytes))
        return Error(ErrorCode::limit, "a view past the asset's end, or of nothing");
    auto view = impl_->blocks->view(impl_->tables, index, record, offset, length);
    if (view)
        return view;
    return impl_->named(std::move(view).error().with_context("asset " + record.id.hex()));
}

Result<Bundle::StoredRange> Bundle::stored_range(AssetIndex index, std::uint64_t offset, std::uint64_t length) const {
    FARDEL_TRY_ASSIGN(const AssetRecord record, asset(index));
    if (!fits(offset, length, record.raw_bytes))
        return Error(ErrorCode::limit, "a range past the asset's end");
    if (length == 0)
        return StoredRange{};
    return impl_->named(impl_->blocks->stored_range(impl_->tables, index, record, offset, length));
}

Result<std::vector<BlockRecord>> Bundle::blocks_of(AssetIndex index) const {
    FARDEL_TRY_ASSIGN(const AssetRecord record, asset(index));
    std::vector<BlockRecord> blocks;
    if (record.piece_count() == 0)
        return blocks;
    FARDEL_TRY_ASSIGN(const PlacementRecord place, placement(index));
    const std::uint64_t end = place.first_block + record.piece_count();
    if (end > table_count(TableKind::blocks))
        return impl_->named(Error(ErrorCode::malformed, "asset " + record.id.hex() + ": its placement is not valid"));
    for (std::uint64_t at = place.first_block; at < end; ++at) {
        FARDEL_TRY_ASSIGN(const BlockRecord found, block(static_cast<std::uint32_t>(at)));
        blocks.push_back(found);
    }
    return blocks;
}

Result<bool> Bundle::holds_content(AssetIndex index) const {
    FARDEL_TRY_ASSIGN(const auto blocks, blocks_of(index));
    return std::ranges::all_of(blocks, [&](const BlockRecord& one) {
        return source()->holds(layout_head().blocks_offset + one.stored_offset, one.stored_bytes);
    });
}

Status Bundle::verify_asset(AssetIndex index) const {
    FARDEL_TRY_ASSIGN(const AssetRecord record, asset(index));
    std::vector<std::byte> buffer(in_memory(std::min<std::uint64_t>(record.raw_bytes, limits::kBlockBytesMax)));
    Hasher hasher;
    for (std::uint64_t at = 0; at < record.raw_bytes; at += buffer.size()) {
        const auto now =
            std::span(buffer).first(in_memory(std::min<std::uint64_t>(buffer.size(), record.raw_bytes - at)));
        FARDEL_TRY(read_at(index, at, now));
        hasher.update(now);
    }
    if (record.piece_count() == 1)  // read_at() has compared it with its id
        return ok();
    if (id_from<AssetId>(hasher.finish()) == record.id)
        return ok();
    return impl_->named(Error(ErrorCode::corrupt, "asset " + record.id.hex() + ": its bytes have another id"));
}

Result<std::span<const std::byte>> Bundle::table_bytes(TableKind kind, std::uint64_t offset,
                                                       std::uint64_t length) const {
    if (record_bytes(kind) == 0)
        return impl_->named(Error(ErrorCode::missing, "no such table"));
    auto bytes = impl_->tables.table(kind).touch(offset, length);
    if (!bytes)
        return impl_->named(std::move(bytes).error());
    return std::span<const std::byte>(*bytes, in_memory(length));
}

Status Bundle::verify_tables() const {
    constexpr std::uint64_t kTouchedBytes = 1u << 20;
    for (const auto* const tables : {&head().tables, &layout_head().tables})
        for (const TableEntry& table : *tables)
            if (record_bytes(table.kind) != 0)  // an unknown kind is of a later version and never read
                for (std::uint64_t at = 0; at < table.length_bytes; at += kTouchedBytes)
                    FARDEL_TRY(table_bytes(table.kind, at, std::min(kTouchedBytes, table.length_bytes - at)));
    return ok();
}

}  // namespace fardel
