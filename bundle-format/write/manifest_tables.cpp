#include "manifest_tables.h"

#include "name_tables.h"
#include "plan_check.h"
#include "string_table.h"
#include "tables/buckets.h"

#include <fardel/base/little_endian.h>

#include <bit>
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

void add_strings(const BundlePlan& plan, const SortedNames& names, const StoredContent& content,
                 const ResolvedPlan& resolved, StringTable& strings) {
    add_name_strings(plan.names, names, strings);
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

Status build_asset_tables(const BundlePlan& plan, const StoredContent& content, const ResolvedPlan& resolved,
                          const StringTable& strings, TableBytes& tables) {
    std::vector<std::byte>& piece_hashes = tables[TableKind::pieces];
    tables.reserve<AssetRecord>(content.assets.size());
    std::uint32_t position = 0, pieces = 0, references = 0, metadata = 0;
    for (const StoredAsset& asset : content.assets) {
        AssetRecord record;
        record.id = asset.id;
        record.raw_bytes = asset.raw_bytes;
        record.piece_log2 = asset.piece_log2;
        record.content_type = strings.ref(content_type_of(plan.assets[asset.planned]));
        if (const auto count = static_cast<std::uint32_t>(record.piece_count()); count > 1) {
            record.piece_first = std::exchange(pieces, pieces + count);
            const Hash* hashes = &content.piece_hashes[asset.placement.first_block];
            const auto bytes = std::as_bytes(std::span(hashes, count));
            piece_hashes.insert(piece_hashes.end(), bytes.begin(), bytes.end());
        }
        const Run referred = next_run(resolved.references, references, position, [](const auto& r) { return r.asset; });
        record.reference_first = referred.count != 0 ? referred.first : 0;
        record.reference_count = referred.count;
        const Run described = next_run(resolved.metadata, metadata, position, [](const auto& m) { return m.subject; });
        // An asset without any has one fixed value, so that adding metadata elsewhere changes no other record.
        record.metadata_first = described.count != 0 ? described.first : kNoIndex;
        tables.add(record);
        ++position;
    }
    FARDEL_TRY_ASSIGN(const auto buckets,
                      bucket_starts(position, [&](std::uint32_t i) { return leading_bits(content.assets[i].id); }));
    for (const std::uint32_t first : buckets)
        append_le(tables[TableKind::asset_buckets], first);
    return ok();
}

// ---- What assets and the bundle refer to ----------------------------------------------------------------------------

void build_references(const std::vector<ResolvedReference>& references, const StringTable& strings,
                      TableBytes& tables) {
    for (const ResolvedReference& reference : references) {
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
        tables.add(record);
    }
}

void build_consumes(const std::vector<PlannedConsume>& consumes, const StringTable& strings, TableBytes& tables) {
    for (const PlannedConsume& consume : consumes)
        tables.add(ConsumeRecord{strings.ref(consume.text), (consume.optional ? ConsumeRecord::optional : 0u) |
                                                                (consume.pattern ? ConsumeRecord::pattern : 0u)});
}

void build_dependencies(const std::vector<PlannedDependency>& dependencies, const StringTable& strings,
                        TableBytes& tables) {
    for (const PlannedDependency& dependency : dependencies)
        tables.add(DependencyRecord{dependency.bundle, strings.ref(dependency.name), strings.ref(dependency.version),
                                    dependency.is_static ? DependencyRecord::is_static : 0u});
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

void build_metadata(const std::vector<ResolvedMetadata>& metadata, TableKind kind, const StringTable& strings,
                    TableBytes& tables) {
    for (const ResolvedMetadata& item : metadata) {
        MetadataRecord record;
        record.subject = item.subject;
        record.key = strings.ref(item.key);
        set_value(record, *item.value, strings);
        tables.add(record, kind);
    }
}

}  // namespace

// ---- All tables -----------------------------------------------------------------------------------------------------

Result<TableBytes> build_manifest_tables(const BundlePlan& plan, const SortedNames& names, const StoredContent& content,
                                         const ResolvedPlan& resolved) {
    TableBytes tables;
    StringTable strings;
    // All strings first: records refer to them by offset, and the order of adding decides the offsets.
    add_strings(plan, names, content, resolved, strings);
    FARDEL_TRY(strings.seal());
    FARDEL_TRY(build_asset_tables(plan, content, resolved, strings, tables));
    build_name_tables(plan.names, names, content, strings, tables);
    build_references(resolved.references, strings, tables);
    for (const ForeignAssetRecord& foreign : resolved.foreign_assets)
        tables.add(foreign);
    build_consumes(resolved.consumes, strings, tables);
    build_dependencies(plan.dependencies, strings, tables);
    build_metadata(resolved.metadata, TableKind::metadata, strings, tables);
    build_metadata(resolved.creator_metadata, TableKind::creator_metadata, strings, tables);
    tables[TableKind::strings] = std::move(strings).take_bytes();
    return tables;
}

TableBytes build_layout_tables(const StoredContent& content) {
    TableBytes tables;
    tables.reserve<PlacementRecord>(content.assets.size());
    for (const StoredAsset& asset : content.assets)
        tables.add(asset.placement);
    tables.reserve<BlockRecord>(content.blocks.size());
    for (const BlockRecord& block : content.blocks)
        tables.add(block);
    return tables;
}

}  // namespace fardel
