#include "manifest_tables.h"

#include "name_tables.h"
#include "plan_check.h"
#include "string_table.h"
#include "tables/buckets.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/manifest.h>

#include <bit>
#include <cstring>
#include <utility>

namespace fardel {
namespace {

using Bytes = std::vector<std::byte>;

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
    for (const ResolvedConsume& consume : resolved.consumes)
        strings.add(consume.text);
    for (const PlannedDependency& dependency : plan.dependencies) {
        strings.add(dependency.name);
        strings.add(dependency.version);
    }
    add_metadata_strings(resolved.metadata, strings);
    add_metadata_strings(resolved.creator_metadata, strings);
}

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

struct AssetTables {
    Bytes assets;
    Bytes buckets;
    Bytes pieces;
};

Result<AssetTables> build_asset_tables(const BundlePlan& plan, const StoredContent& content,
                                       const ResolvedPlan& resolved, const StringTable& strings) {
    AssetTables tables;
    tables.assets.reserve(content.assets.size() * record_bytes(TableKind::assets));
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
            tables.pieces.insert(tables.pieces.end(), bytes.begin(), bytes.end());
        }
        const Run referred = next_run(resolved.references, references, position, [](const auto& r) { return r.asset; });
        record.reference_first = referred.count != 0 ? referred.first : 0;
        record.reference_count = referred.count;
        const Run described = next_run(resolved.metadata, metadata, position, [](const auto& m) { return m.subject; });
        record.metadata_first = described.count != 0 ? described.first : kNoIndex;
        encode_record(record, tables.assets);
        ++position;
    }
    FARDEL_TRY_ASSIGN(const auto buckets,
                      bucket_starts(position, [&](std::uint32_t i) { return leading_bits(content.assets[i].id); }));
    for (const std::uint32_t first : buckets)
        append_le(tables.buckets, first);
    return tables;
}

Bytes build_references(const std::vector<ResolvedReference>& references, const StringTable& strings) {
    Bytes table;
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
        encode_record(record, table);
    }
    return table;
}

Bytes build_foreign_assets(const std::vector<ForeignAssetRecord>& foreign_assets) {
    Bytes table;
    for (const ForeignAssetRecord& record : foreign_assets)
        encode_record(record, table);
    return table;
}

Bytes build_consumes(const std::vector<ResolvedConsume>& consumes, const StringTable& strings) {
    Bytes table;
    for (const ResolvedConsume& consume : consumes)
        encode_record(ConsumeRecord{strings.ref(consume.text), (consume.optional ? ConsumeRecord::optional : 0u) |
                                                                   (consume.pattern ? ConsumeRecord::pattern : 0u)},
                      table);
    return table;
}

Bytes build_dependencies(const std::vector<PlannedDependency>& dependencies, const StringTable& strings) {
    Bytes table;
    for (const PlannedDependency& dependency : dependencies)
        encode_record(DependencyRecord{dependency.bundle, strings.ref(dependency.name), strings.ref(dependency.version),
                                       dependency.is_static ? DependencyRecord::is_static : 0u},
                      table);
    return table;
}

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

Bytes build_metadata(const std::vector<ResolvedMetadata>& metadata, const StringTable& strings) {
    Bytes table;
    for (const ResolvedMetadata& item : metadata) {
        MetadataRecord record;
        record.subject = item.subject;
        record.key = strings.ref(item.key);
        set_value(record, *item.value, strings);
        encode_record(record, table);
    }
    return table;
}

}  // namespace

Result<std::vector<TableBytes>> build_manifest_tables(const BundlePlan& plan, const SortedNames& names,
                                                      const StoredContent& content, const ResolvedPlan& resolved) {
    StringTable strings;
    add_strings(plan, names, content, resolved, strings);
    FARDEL_TRY_ASSIGN(Bytes string_bytes, strings.seal());
    FARDEL_TRY_ASSIGN(AssetTables of_assets, build_asset_tables(plan, content, resolved, strings));
    NameTables of_names = build_name_tables(plan.names, names, content, strings);

    std::vector<TableBytes> tables;
    const auto put = [&tables](TableKind kind, Bytes records) { tables.push_back({kind, std::move(records)}); };
    put(TableKind::strings, std::move(string_bytes));
    put(TableKind::assets, std::move(of_assets.assets));
    put(TableKind::asset_buckets, std::move(of_assets.buckets));
    put(TableKind::names, std::move(of_names.names));
    put(TableKind::name_buckets, std::move(of_names.name_buckets));
    put(TableKind::name_filters, std::move(of_names.name_filters));
    put(TableKind::pieces, std::move(of_assets.pieces));
    put(TableKind::variants, std::move(of_names.variants));
    put(TableKind::tags, std::move(of_names.tags));
    put(TableKind::references, build_references(resolved.references, strings));
    put(TableKind::foreign_assets, build_foreign_assets(resolved.foreign_assets));
    put(TableKind::consumes, build_consumes(resolved.consumes, strings));
    put(TableKind::dependencies, build_dependencies(plan.dependencies, strings));
    put(TableKind::metadata, build_metadata(resolved.metadata, strings));
    put(TableKind::creator_metadata, build_metadata(resolved.creator_metadata, strings));
    return tables;
}

std::vector<TableBytes> build_layout_tables(const StoredContent& content) {
    std::vector<TableBytes> tables{{TableKind::placements, {}}, {TableKind::blocks, {}}};
    Bytes& placements = tables.front().records;
    placements.reserve(content.assets.size() * record_bytes(TableKind::placements));
    for (const StoredAsset& asset : content.assets)
        encode_record(asset.placement, placements);
    Bytes& blocks = tables.back().records;
    blocks.reserve(content.blocks.size() * record_bytes(TableKind::blocks));
    for (const BlockRecord& block : content.blocks)
        encode_record(block, blocks);
    return tables;
}

}  // namespace fardel
