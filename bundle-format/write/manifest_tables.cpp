#include "manifest_tables.h"

#include "name_tables.h"
#include "plan_check.h"
#include "string_table.h"
#include "tables/buckets.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>

#include <bit>
#include <functional>
#include <utility>

namespace fardel {
namespace {

// ---- Strings --------------------------------------------------------------------------------------------------------

void add_metadata_strings(const std::vector<ResolvedMetadata>& metadata, StringTable& strings) {
    for (const ResolvedMetadata& item : metadata) {
        strings.add(item.key);
        if (const auto* text = std::get_if<std::string>(item.value))
            strings.add(*text);
    }
}

void add_strings(const BundlePlan& plan, std::span<const std::uint32_t> names_by_text, const StoredContent& content,
                 const ResolvedPlan& resolved, StringTable& strings) {
    constexpr std::size_t kOtherStrings = 1'000;  // usual for a plan of many small files
    strings.reserve(plan.names.size() + kOtherStrings);
    add_name_strings(plan.names, names_by_text, strings);
    for (const StoredAsset& asset : content.assets)
        strings.add(content_type_of(plan.assets[asset.planned]));
    for (const ResolvedReference& reference : resolved.references) {
        strings.add(reference.spelling);
        if (!reference.target_name.empty())
            strings.add(reference.target_name);
    }
    for (const PlannedConsume& consume : resolved.consumes)
        strings.add(consume.text);
    for (const PlannedDependency& dependency : plan.dependencies) {
        strings.add(dependency.name);
        strings.add(dependency.version);
    }
    add_metadata_strings(resolved.metadata, strings);
    add_metadata_strings(resolved.creator_metadata, strings);
}

// ---- Assets ---------------------------------------------------------------------------------------------------------

// The run of records in `sorted` that belong to one asset. next_run is called asset by asset, in ascending order.
struct Run {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};
template <class Item, class AssetOf>
Run next_run(const std::vector<Item>& sorted, std::uint32_t& at, std::uint32_t asset, AssetOf asset_of) {
    const std::uint32_t first = at;
    while (at < sorted.size() && asset_of(sorted[at]) == asset)
        ++at;
    return {first, at - first};
}

Status write_asset_tables(const BundlePlan& plan, const StoredContent& content, const ResolvedPlan& resolved,
                          const StringTable& strings, TableSection& out) {
    std::uint32_t position = 0, pieces = 0, references = 0, metadata = 0;
    FARDEL_TRY(out.write<AssetRecord>(content.assets, [&](const StoredAsset& asset) {
        AssetRecord record;
        record.id = asset.id;
        record.raw_bytes = asset.raw_bytes;
        record.piece_log2 = asset.piece_log2;
        record.content_type = strings.ref(content_type_of(plan.assets[asset.planned]));
        if (const auto count = static_cast<std::uint32_t>(record.piece_count()); count > 1)
            record.piece_first = std::exchange(pieces, pieces + count);
        const Run referred = next_run(resolved.references, references, position, [](const auto& r) { return r.asset; });
        record.reference_first = referred.count != 0 ? referred.first : 0;
        record.reference_count = referred.count;
        const Run described = next_run(resolved.metadata, metadata, position, [](const auto& m) { return m.subject; });
        // An asset without any has one fixed value, so that adding metadata elsewhere changes no other record.
        record.metadata_first = described.count != 0 ? described.first : kNoIndex;
        ++position;
        return record;
    }));
    FARDEL_TRY_ASSIGN(const auto buckets,
                      bucket_starts(position, [&](std::uint32_t i) { return leading_bits(content.assets[i].id); }));
    std::vector<std::byte> bucket_bytes;
    for (const std::uint32_t first : buckets)
        append_le(bucket_bytes, first);
    return out.write_bytes(TableKind::asset_buckets, bucket_bytes);
}

Status write_pieces(const StoredContent& content, TableSection& out) {
    std::vector<std::byte> hashes;
    for (const StoredAsset& asset : content.assets) {
        const std::uint64_t count =
            AssetRecord{.raw_bytes = asset.raw_bytes, .piece_log2 = asset.piece_log2}.piece_count();
        if (count <= 1)
            continue;
        const auto bytes =
            std::as_bytes(std::span(&content.piece_hashes[asset.placement.first_block], in_memory(count)));
        hashes.insert(hashes.end(), bytes.begin(), bytes.end());
    }
    return out.write_bytes(TableKind::pieces, hashes);
}

// ---- What assets and the bundle refer to ----------------------------------------------------------------------------

ReferenceRecord record_of(const ResolvedReference& reference, const StringTable& strings) {
    ReferenceRecord record;
    record.spelling = strings.ref(reference.spelling);
    record.kind = reference.kind;
    record.flags = reference.optional ? ReferenceRecord::optional : 0;
    if (reference.kind == ReferenceKind::dynamic) {
        record.target = strings.ref(reference.target_name);
    } else {
        record.target = reference.target;
        if (!reference.target_name.empty()) {
            record.flags |= ReferenceRecord::named;
            record.name = strings.ref(reference.target_name);
        }
    }
    return record;
}

ConsumeRecord record_of(const PlannedConsume& consume, const StringTable& strings) {
    return {strings.ref(consume.text),
            (consume.optional ? ConsumeRecord::optional : 0u) | (consume.pattern ? ConsumeRecord::pattern : 0u)};
}

DependencyRecord record_of(const PlannedDependency& dependency, const StringTable& strings) {
    return {dependency.bundle, strings.ref(dependency.name), strings.ref(dependency.version),
            dependency.is_static ? DependencyRecord::is_static : 0u};
}

// ---- Metadata -------------------------------------------------------------------------------------------------------

void set_value(MetadataRecord& record, const MetadataValue& value, const StringTable& strings) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        record.kind = MetadataKind::text;
        record.value = strings.ref(*text);
    } else if (const auto* number = std::get_if<double>(&value)) {
        record.kind = MetadataKind::number;
        record.value = std::bit_cast<std::uint64_t>(*number == 0 ? 0.0 : *number);  // no negative zero
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        record.kind = MetadataKind::integer;
        record.value = static_cast<std::uint64_t>(*integer);
    } else {
        record.kind = MetadataKind::boolean;
        record.value = std::get<bool>(value) ? 1 : 0;
    }
}

MetadataRecord record_of(const ResolvedMetadata& item, const StringTable& strings) {
    MetadataRecord record;
    record.subject = item.subject;
    record.key = strings.ref(item.key);
    set_value(record, *item.value, strings);
    return record;
}

}  // namespace

// ---- All tables -----------------------------------------------------------------------------------------------------

Status write_manifest_tables(const BundlePlan& plan, std::span<const std::uint32_t> names_by_text,
                             const StoredContent& content, const ResolvedPlan& resolved, TableSection& out) {
    StringTable strings;
    // All strings first: records refer to them by offset, and the order of adding decides the offsets.
    add_strings(plan, names_by_text, content, resolved, strings);
    FARDEL_TRY(strings.seal());
    FARDEL_TRY(out.write_parts(TableKind::strings, strings.length_bytes(), strings.texts(), append_string));
    FARDEL_TRY(write_asset_tables(plan, content, resolved, strings, out));
    FARDEL_TRY(write_name_tables(plan.names, names_by_text, content, strings, out));
    FARDEL_TRY(write_pieces(content, out));
    FARDEL_TRY(write_variant_tables(plan.names, names_by_text, content, strings, out));
    const auto to_record = [&](const auto& item) { return record_of(item, strings); };
    FARDEL_TRY(out.write<ReferenceRecord>(resolved.references, to_record));
    FARDEL_TRY(out.write<ForeignAssetRecord>(resolved.foreign_assets, std::identity()));
    FARDEL_TRY(out.write<ConsumeRecord>(resolved.consumes, to_record));
    FARDEL_TRY(out.write<DependencyRecord>(plan.dependencies, to_record));
    FARDEL_TRY(out.write<MetadataRecord>(resolved.metadata, to_record));
    return out.write<MetadataRecord>(resolved.creator_metadata, to_record, TableKind::creator_metadata);
}

Status write_layout_tables(const StoredContent& content, TableSection& out) {
    FARDEL_TRY(out.write<PlacementRecord>(content.assets, [](const StoredAsset& asset) { return asset.placement; }));
    return out.write<BlockRecord>(content.blocks, std::identity());
}

}  // namespace fardel
