#include <fardel/format/plan_of_bundle.h>

#include <fardel/format/bundle.h>
#include <fardel/format/bundle_metadata.h>
#include <fardel/format/limits.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::uint64_t kSmallBytesMax = std::uint64_t{1} << limits::kBlockLog2;  // what shares blocks

// The bytes of one asset, each proved when it is read.
class AssetBytes final : public ByteSource {
public:
    AssetBytes(std::shared_ptr<const Bundle> bundle, AssetIndex index, std::uint64_t size_bytes) noexcept
        : bundle_(std::move(bundle)), index_(index), size_bytes_(size_bytes) {}
    std::uint64_t size_bytes() const noexcept override { return size_bytes_; }
    Status read_at(std::uint64_t offset, std::span<std::byte> out) const override {
        return out.empty() ? ok() : bundle_->read_at(index_, offset, out);
    }

private:
    std::shared_ptr<const Bundle> bundle_;
    AssetIndex index_;
    std::uint64_t size_bytes_;
};

class Replanner {
public:
    explicit Replanner(const std::shared_ptr<const Bundle>& bundle) : shared_(bundle), bundle_(*bundle) {}

    Result<BundlePlan> plan() {
        FARDEL_TRY(add_assets());
        FARDEL_TRY(add_metadata(TableKind::metadata));
        FARDEL_TRY(add_metadata(TableKind::creator_metadata));
        FARDEL_TRY(add_names());
        add_keys();
        FARDEL_TRY(keep_order());
        FARDEL_TRY(add_needs());
        return std::move(plan_);
    }

private:
    Error malformed(std::string_view what) const {
        return Error(ErrorCode::malformed, bundle_.label() + ": " + std::string(what));
    }
    std::uint32_t count(TableKind kind) const { return static_cast<std::uint32_t>(bundle_.table_count(kind)); }
    Result<std::string> text(StringRef ref) const {
        FARDEL_TRY_ASSIGN(const std::string_view found, bundle_.string(ref));
        return std::string(found);
    }

    Status add_assets() {
        for (std::uint32_t i = 0; i < bundle_.asset_count(); ++i) {
            FARDEL_TRY_ASSIGN(const AssetRecord record, bundle_.asset(AssetIndex{i}));
            PlannedAsset asset{
                .source = make_bytes_blob(std::make_shared<const AssetBytes>(shared_, AssetIndex{i}, record.raw_bytes)),
                .streamed = record.piece_log2 == limits::kStreamBlockLog2,
                .known = PlannedAsset::Known{.asset = record.id, .size_bytes = record.raw_bytes}};
            FARDEL_TRY_ASSIGN(asset.content_type, text(record.content_type));
            for (std::uint32_t at = 0; at < record.reference_count; ++at) {
                FARDEL_TRY_ASSIGN(const ReferenceRecord reference, bundle_.reference(record.reference_first + at));
                FARDEL_TRY_ASSIGN(PlannedReference planned, plan_reference(reference));
                asset.references.push_back(std::move(planned));
            }
            plan_.assets.push_back(std::move(asset));
        }
        return ok();
    }

    Result<PlannedReference> plan_reference(const ReferenceRecord& record) const {
        PlannedReference planned{.optional = (record.flags & ReferenceRecord::optional) != 0};
        FARDEL_TRY_ASSIGN(planned.spelling, text(record.spelling));
        switch (record.kind) {
            case ReferenceKind::internal:
                planned.target = PlannedReference::Internal{record.target};  // write_bundle checks the index
                break;
            case ReferenceKind::foreign: {
                FARDEL_TRY_ASSIGN(const ForeignAssetRecord foreign, bundle_.foreign_asset(record.target));
                planned.target = PlannedReference::Foreign{.asset = foreign.id, .dependency = foreign.dependency};
                break;
            }
            case ReferenceKind::dynamic: {
                FARDEL_TRY_ASSIGN(std::string name, text(record.target));
                planned.target = PlannedReference::Dynamic{std::move(name)};
                break;
            }
        }
        if ((record.flags & ReferenceRecord::named) != 0) {
            FARDEL_TRY_ASSIGN(planned.name, text(record.name));
        }
        return planned;
    }

    // As the packer's keys, which are names; only texts with a line break, which no name has, are for other assets.
    void add_keys() {
        for (const PlannedName& name : plan_.names)
            for (const PlannedVariant& variant : name.variants)
                if (variant.asset < plan_.assets.size() && plan_.assets[variant.asset].key.empty()) {
                    PlannedAsset& asset = plan_.assets[variant.asset];
                    asset.key = name.name.shared_text();
                    if (&variant != &name.variants.front())
                        asset.key = asset.key.text() + '\n' + asset.known->asset.hex();
                }
    }

    // Assets lie by rank, then by content type, then by key. So a new rank begins where these do not rise: that of a
    // trace, or the first one for all assets. A small asset lies where the block that it shares was closed, which may
    // be behind large ones with greater keys, so both kinds are compared with their own.
    Status keep_order() {
        std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> stored;  // block, offset, asset
        for (std::uint32_t i = 0; i < bundle_.asset_count(); ++i) {
            FARDEL_TRY_ASSIGN(const PlacementRecord placement, bundle_.placement(AssetIndex{i}));
            PlannedAsset& asset = plan_.assets[i];
            if (asset.known->size_bytes != 0)
                stored.emplace_back(placement.first_block, placement.offset, i);
            else if (asset.key.empty())  // it lies nowhere
                asset.key = '\n' + asset.known->asset.hex();
        }
        std::ranges::sort(stored);
        std::uint32_t rank = 0;
        std::string_view type;
        std::string last_keys[2];                // of large and of small assets of that type
        std::uint32_t position = 1'000'000'000;  // all have ten digits, so that no id is one
        for (const auto& place : stored) {
            ++position;
            PlannedAsset& asset = plan_.assets[std::get<2>(place)];
            if (type != asset.content_type.view())
                std::ranges::fill(last_keys, std::string());
            std::string& last_key = last_keys[asset.known->size_bytes <= kSmallBytesMax ? 1 : 0];
            if (asset.key.empty())  // without a name: it stays behind the one before it
                asset.key = last_key.substr(0, last_key.find('\n')) + '\n' + std::to_string(position);
            if (asset.content_type.view() < type || asset.key.view() < last_key) {
                ++rank;
                std::ranges::fill(last_keys, std::string());
            }
            type = asset.content_type.view();
            last_key = asset.key.view();
            asset.rank = rank;
        }
        return ok();
    }

    Status add_metadata(TableKind kind) {
        const bool creator = kind == TableKind::creator_metadata;
        for (std::uint32_t i = 0; i < count(kind); ++i) {
            FARDEL_TRY_ASSIGN(const MetadataRecord record, creator ? bundle_.creator_metadata(i) : bundle_.metadata(i));
            PlannedMetadata item;
            FARDEL_TRY_ASSIGN(item.key, text(record.key));
            FARDEL_TRY_ASSIGN(item.value, metadata_value(bundle_, record));
            const bool of_bundle = record.subject == kBundleSubject;
            if (!of_bundle && record.subject >= plan_.assets.size())
                return malformed("metadata of an asset that does not exist");
            if (of_bundle) {
                (creator ? plan_.creator_metadata : plan_.metadata).push_back(std::move(item));
                continue;
            }
            PlannedAsset& asset = plan_.assets[record.subject];
            (creator ? asset.creator_metadata : asset.metadata).push_back(std::move(item));
        }
        return ok();
    }

    Result<PlannedVariant> plan_variant(std::uint32_t index) const {
        FARDEL_TRY_ASSIGN(const VariantRecord record, bundle_.variant(index));
        PlannedVariant variant{.asset = record.asset};
        for (std::uint32_t i = 0; i < record.tag_count; ++i) {
            FARDEL_TRY_ASSIGN(const TagRecord tag, bundle_.tag(record.tag_first + i));
            Tag planned;
            FARDEL_TRY_ASSIGN(planned.axis, text(tag.axis));
            FARDEL_TRY_ASSIGN(planned.value, text(tag.value));
            variant.tags.push_back(std::move(planned));
        }
        return variant;
    }

    Status add_names() {
        for (std::uint32_t i = 0; i < bundle_.name_count(); ++i) {
            FARDEL_TRY_ASSIGN(const NameRecord record, bundle_.name(NameIndex{i}));
            FARDEL_TRY_ASSIGN(const std::string_view spelled, bundle_.name_text(NameIndex{i}));
            FARDEL_TRY_ASSIGN(AssetName parsed, AssetName::parse(spelled));
            PlannedName name{.name = std::move(parsed),
                             .published = record.is(NameRecord::published),
                             .extends = record.is(NameRecord::extends)};
            if (record.is(NameRecord::has_variants)) {
                for (std::uint32_t at = 0; at < record.count; ++at) {
                    FARDEL_TRY_ASSIGN(PlannedVariant variant, plan_variant(record.target + at));
                    name.variants.push_back(std::move(variant));
                }
            } else if (!record.is(NameRecord::tombstone)) {
                name.variants.push_back({.asset = record.target});
            }
            plan_.names.push_back(std::move(name));
        }
        return ok();
    }

    Status add_needs() {
        for (std::uint32_t i = 0; i < count(TableKind::consumes); ++i) {
            FARDEL_TRY_ASSIGN(const ConsumeRecord record, bundle_.consume(i));
            PlannedConsume consume{.text = {},
                                   .pattern = (record.flags & ConsumeRecord::pattern) != 0,
                                   .optional = (record.flags & ConsumeRecord::optional) != 0};
            FARDEL_TRY_ASSIGN(consume.text, text(record.text));
            plan_.consumes.push_back(std::move(consume));
        }
        for (std::uint32_t i = 0; i < count(TableKind::dependencies); ++i) {
            FARDEL_TRY_ASSIGN(const DependencyRecord record, bundle_.dependency(i));
            PlannedDependency dependency{.bundle = record.bundle,
                                         .is_static = (record.flags & DependencyRecord::is_static) != 0};
            FARDEL_TRY_ASSIGN(dependency.name, text(record.name));
            FARDEL_TRY_ASSIGN(dependency.version, text(record.version));
            plan_.dependencies.push_back(std::move(dependency));
        }
        return ok();
    }

    const std::shared_ptr<const Bundle>& shared_;
    const Bundle& bundle_;
    BundlePlan plan_;
};

}  // namespace

Result<BundlePlan> plan_of(const std::shared_ptr<const Bundle>& bundle) { return Replanner(bundle).plan(); }

}  // namespace fardel
