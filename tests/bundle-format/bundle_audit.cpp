#include "bundle_audit.h"

#include "tables/page_tree.h"

#include "kit/test.h"

#include <fardel/format/block_codec.h>
#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

namespace fardel::tests {
namespace {

using Records = std::span<const std::byte>;

bool all_zero(Records bytes) {
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

std::uint64_t up(std::uint64_t value, std::uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

std::uint32_t number_at(Records bytes, std::size_t index) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value |= std::to_integer<std::uint32_t>(bytes[4 * index + i]) << 8 * i;
    return value;
}

// §2, §3: returns the table's records after checking its position, padding and page tree.
Records table_of(Records section, std::span<const TableEntry> entries, TableKind kind) {
    const auto it = std::ranges::find(entries, kind, &TableEntry::kind);
    if (it == entries.end())
        return {};
    const Records records = section.subspan(it->offset, it->length_bytes);
    const std::uint64_t tree_at = up(it->offset + it->length_bytes, 64);
    REQUIRE(all_zero(section.subspan(it->offset + it->length_bytes, tree_at - it->offset - it->length_bytes)));
    const PageTree tree = build_page_tree(kind, records);
    REQUIRE(tree.root == it->root);
    REQUIRE(std::ranges::equal(section.subspan(tree_at, tree.levels.size()), tree.levels));
    return records;
}

template <class Record>
std::vector<Record> records_of(Records table, TableKind kind) {
    const std::size_t size = record_bytes(kind);
    std::vector<Record> records;
    for (std::size_t at = 0; at < table.size(); at += size) {
        auto record = value_of(decode_record<Record>(table.subspan(at, size)));
        records.push_back(record);
    }
    return records;
}

template <class Range, class Projection = std::identity>
bool strictly_rising(const Range& range, Projection projection = {}) {
    return std::ranges::adjacent_find(range, [&](const auto& a, const auto& b) {
               return !(std::invoke(projection, a) < std::invoke(projection, b));
           }) == std::ranges::end(range);
}

std::map<StringRef, std::string> strings_of(Records table) {
    std::map<StringRef, std::string> strings;
    std::vector<std::string> in_order;
    for (std::size_t at = 0; at < table.size();) {
        const std::size_t size = std::to_integer<std::size_t>(table[at]) | std::to_integer<std::size_t>(table[at + 1])
                                                                               << 8;
        const std::string text(reinterpret_cast<const char*>(table.data() + at + 2), size);
        strings.emplace(static_cast<StringRef>(at), text);
        in_order.push_back(text);
        at += 2 + size;
        REQUIRE(at <= table.size());
    }
    REQUIRE(strictly_rising(in_order));
    return strings;
}

std::uint64_t leading(const AssetId& id) {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
        value = value << 8 | id.bytes[static_cast<std::size_t>(i)];
    return value;
}

// §5: the buckets of assets.
void check_asset_buckets(Records table, const std::vector<std::uint64_t>& keys) {
    if (keys.empty()) {
        REQUIRE(table.empty());
        return;
    }
    unsigned bits = 0;
    while (keys.size() > std::uint64_t{2} << bits)
        ++bits;
    REQUIRE(table.size() == ((std::size_t{1} << bits) + 1) * 4);
    for (std::size_t i = 0; i <= std::size_t{1} << bits; ++i) {
        const auto less =
            std::ranges::count_if(keys, [&](std::uint64_t key) { return (bits == 0 ? 0 : key >> (64 - bits)) < i; });
        REQUIRE(number_at(table, i) == static_cast<std::uint64_t>(less));
    }
}

// §5: the buckets of names. `hashed` contains all names, sorted by hash and number.
void check_name_buckets(const AuditedBundle& b, const std::vector<NameBucketRecord>& buckets,
                        const std::vector<std::pair<std::uint64_t, std::uint32_t>>& hashed) {
    const std::uint64_t homes = (2 * hashed.size() + 6) / 7;
    REQUIRE(buckets.size() >= homes);
    std::size_t next = 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const NameBucketRecord& bucket = buckets[i];
        // Counts the names that belong to this or an earlier bucket and did not fit into an earlier one.
        std::size_t used = 0;
        while (next + used < hashed.size() && used < 5 &&
               (hashed[next + used].first >> 32) * homes / (std::uint64_t{1} << 32) <= i)
            ++used;
        REQUIRE(bucket.used == used);
        for (std::size_t slot = 0; slot < used; ++slot) {
            const auto& [hash, name] = hashed[next + slot];
            REQUIRE(bucket.hashes[slot] == hash >> 32);
            REQUIRE(bucket.names[slot] == name);
            REQUIRE(bucket.texts[slot] == b.names[name].text);
        }
        next += used;
        const bool more = next < hashed.size() && (hashed[next].first >> 32) * homes / (std::uint64_t{1} << 32) <= i;
        REQUIRE(bucket.spills == (more ? 1 : 0));
        REQUIRE((i < homes || used > 0));
    }
    REQUIRE(next == hashed.size());
}

void check_name_filters(Records table, const std::vector<std::pair<std::uint64_t, std::uint32_t>>& hashed) {
    unsigned bits = 0;
    while (hashed.size() > std::uint64_t{4} << bits)
        ++bits;
    REQUIRE(table.size() == (hashed.empty() ? 0 : std::size_t{4} << bits));
    for (std::size_t i = 0; i * 4 < table.size(); ++i) {
        std::uint32_t filter = 0;
        for (const auto& [hash, name] : hashed)
            if ((bits == 0 ? 0 : hash >> (64 - bits)) == i)
                filter |= 1u << hash % 32 | 1u << hash / 32 % 32;
        REQUIRE(number_at(table, i) == filter);
    }
}

// §4, names.
void check_names(const AuditedBundle& b, const std::vector<NameBucketRecord>& buckets, Records filters) {
    REQUIRE(strictly_rising(b.names, [&](const NameRecord& n) { return b.text(n.text); }));
    std::set<std::string> folded;
    for (const NameRecord& name : b.names) {
        REQUIRE(verify_name(b.text(name.text)));
        REQUIRE(folded.insert(fold_name(b.text(name.text))).second);
    }
    for (const std::string& name : folded)
        for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
            REQUIRE(!folded.contains(name.substr(0, slash)));

    std::vector<std::pair<std::uint64_t, std::uint32_t>> hashed;
    for (std::uint32_t i = 0; i < b.names.size(); ++i)
        hashed.emplace_back(name_hash(b.text(b.names[i].text)), i);
    std::ranges::sort(hashed);
    check_name_buckets(b, buckets, hashed);
    check_name_filters(filters, hashed);
}

// §4, variants and tags: one run per name, in the order of names.
void check_variants(const AuditedBundle& b) {
    std::uint32_t variant = 0, tag = 0;
    for (std::uint32_t i = 0; i < b.names.size(); ++i) {
        const NameRecord& name = b.names[i];
        const bool tombstone = name.is(NameRecord::tombstone), has_variants = name.is(NameRecord::has_variants);
        REQUIRE((name.flags & ~15u) == 0u);
        REQUIRE_FALSE((tombstone && (has_variants || !name.is(NameRecord::published) || name.target != 0)));
        REQUIRE_FALSE((name.is(NameRecord::extends) && !has_variants));
        REQUIRE((name.count != 0) == has_variants);
        if (!has_variants) {
            REQUIRE((tombstone || name.target < b.assets.size()));
            continue;
        }
        REQUIRE(name.target == variant);
        REQUIRE(name.count <= limits::kVariantsPerNameMax);
        for (std::uint32_t k = 0; k < name.count; ++k, ++variant) {
            const VariantRecord& record = b.variants.at(variant);
            REQUIRE(record.name == i);
            REQUIRE(record.asset < b.assets.size());
            REQUIRE(record.tag_count <= limits::kTagsPerVariantMax);
            REQUIRE(record.tag_first == (record.tag_count != 0 ? tag : 0));
            const auto run = std::span(b.tags).subspan(record.tag_first, record.tag_count);
            REQUIRE(strictly_rising(run, [&](const TagRecord& t) { return b.text(t.axis); }));
            tag += record.tag_count;
        }
    }
    REQUIRE(variant == b.variants.size());
    REQUIRE(tag == b.tags.size());
}

void check_metadata(const AuditedBundle& b, const std::vector<MetadataRecord>& table) {
    REQUIRE(strictly_rising(table, [&](const MetadataRecord& m) { return std::pair(m.subject, b.text(m.key)); }));
    for (const MetadataRecord& m : table) {
        REQUIRE((m.subject == kBundleSubject || m.subject < b.assets.size()));
        if (m.kind == MetadataKind::text)
            REQUIRE(b.strings.contains(static_cast<StringRef>(m.value)));
        if (m.kind == MetadataKind::boolean)
            REQUIRE(m.value <= 1);
        if (m.kind == MetadataKind::number) {
            REQUIRE(std::isfinite(std::bit_cast<double>(m.value)));
            REQUIRE(m.value != std::bit_cast<std::uint64_t>(-0.0));
        }
    }
}

void check_links(const AuditedBundle& b) {
    REQUIRE(strictly_rising(b.foreign_assets, [](const auto& f) { return std::tuple(f.id, f.dependency); }));
    for (const ForeignAssetRecord& foreign : b.foreign_assets)
        REQUIRE((b.dependencies.at(foreign.dependency).flags & DependencyRecord::is_static) != 0);
    for (const ReferenceRecord& reference : b.references) {
        switch (reference.kind) {
            case ReferenceKind::internal: REQUIRE(reference.target < b.assets.size()); break;
            case ReferenceKind::foreign: REQUIRE(reference.target < b.foreign_assets.size()); break;
            case ReferenceKind::dynamic: REQUIRE(verify_name(b.text(reference.target))); break;
        }
    }
    REQUIRE(strictly_rising(b.consumes, [&](const ConsumeRecord& c) { return b.text(c.text); }));
    std::set<BundleId> dependencies;
    for (const DependencyRecord& dependency : b.dependencies)
        REQUIRE(dependencies.insert(dependency.bundle).second);
    check_metadata(b, b.metadata);
    check_metadata(b, b.creator_metadata);
}

// §4: the runs that belong to assets follow each other in the order of assets, without gaps.
void check_runs(const AuditedBundle& b) {
    std::uint32_t piece = 0, reference = 0, described = 0;
    for (std::uint32_t i = 0; i < b.assets.size(); ++i) {
        const AssetRecord& asset = b.assets[i];
        REQUIRE((asset.piece_log2 == limits::kBlockLog2 || asset.piece_log2 == limits::kStreamBlockLog2));
        const auto pieces = static_cast<std::uint32_t>(asset.piece_count());
        REQUIRE(asset.piece_first == (pieces > 1 ? piece : kNoIndex));
        piece += pieces > 1 ? pieces : 0;

        REQUIRE(asset.reference_first == (asset.reference_count != 0 ? reference : 0));
        REQUIRE(asset.reference_first + asset.reference_count <= b.references.size());
        const auto run = std::span(b.references).subspan(asset.reference_first, asset.reference_count);
        REQUIRE(strictly_rising(run, [&](const ReferenceRecord& r) { return b.text(r.spelling); }));
        reference += asset.reference_count;

        const std::uint32_t first = described;
        while (described < b.metadata.size() && b.metadata[described].subject == i)
            ++described;
        REQUIRE(asset.metadata_first == (described > first ? first : kNoIndex));
    }
    REQUIRE(piece == b.pieces.size());
    REQUIRE(reference == b.references.size());
}

void check_strings_used(const AuditedBundle& b) {
    std::set<StringRef> used;
    for (const auto& r : b.assets)
        used.insert(r.content_type);
    for (const auto& r : b.names)
        used.insert(r.text);
    for (const auto& r : b.tags)
        used.insert({r.axis, r.value});
    for (const auto& r : b.references) {
        used.insert(r.spelling);
        if (r.kind == ReferenceKind::dynamic)
            used.insert(r.target);
        if ((r.flags & ReferenceRecord::named) != 0)
            used.insert(r.name);
    }
    for (const auto& r : b.consumes)
        used.insert(r.text);
    for (const auto& r : b.dependencies)
        used.insert({r.name, r.version});
    for (const auto* table : {&b.metadata, &b.creator_metadata})
        for (const auto& r : *table) {
            used.insert(r.key);
            if (r.kind == MetadataKind::text)
                used.insert(static_cast<StringRef>(r.value));
        }
    REQUIRE(used.size() == b.strings.size());
    for (const StringRef ref : used)
        REQUIRE(b.strings.contains(ref));
}

// §7: returns the raw bytes of every block.
std::vector<std::vector<std::byte>> decode_blocks(const AuditedBundle& b, Records section,
                                                  const std::set<std::uint32_t>& of_pieces) {
    std::vector<std::vector<std::byte>> raw;
    std::uint64_t end = 0;
    std::set<Codec> codecs;
    for (std::uint32_t i = 0; i < b.blocks.size(); ++i) {
        const BlockRecord& block = b.blocks[i];
        const bool aligned =
            block.codec == Codec::raw && block.raw_bytes >= limits::kRawBlockAlign && of_pieces.contains(i);
        REQUIRE(block.stored_offset == (aligned ? up(end, limits::kRawBlockAlign) : end));
        REQUIRE(all_zero(section.subspan(end, block.stored_offset - end)));
        REQUIRE(block.raw_bytes >= 1);
        REQUIRE(block.raw_bytes <= limits::kBlockBytesMax);
        const Records stored = section.subspan(block.stored_offset, block.stored_bytes);
        REQUIRE(blake3(stored) == block.stored_hash);
        std::vector<std::byte> bytes(block.raw_bytes);
        require_good(BlockDecoder().decode(block.codec, stored, bytes));
        if (block.codec != Codec::raw)
            REQUIRE((block.raw_bytes - block.stored_bytes) * 32 >= block.raw_bytes);
        raw.push_back(std::move(bytes));
        codecs.insert(block.codec);
        end = block.stored_offset + block.stored_bytes;
    }
    REQUIRE(end == section.size());
    REQUIRE(b.layout.codecs.size() == codecs.size());
    for (const CodecVersion& codec : b.layout.codecs)
        REQUIRE(codecs.contains(codec.codec));
    return raw;
}

// §7: finds each asset in the blocks; checks its bytes against its id and its pieces against their hashes.
void check_contents(AuditedBundle& b, Records section) {
    REQUIRE(b.placements.size() == b.assets.size());
    std::set<std::uint32_t> of_pieces;
    for (std::size_t i = 0; i < b.assets.size(); ++i)
        if (const auto count = b.assets[i].piece_count(); count > 1)
            for (std::uint32_t k = 0; k < count; ++k)
                REQUIRE(of_pieces.insert(b.placements[i].first_block + k).second);
    const auto raw = decode_blocks(b, section, of_pieces);

    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> shared;  // block → offset → asset
    for (std::uint32_t i = 0; i < b.assets.size(); ++i) {
        const AssetRecord& asset = b.assets[i];
        const PlacementRecord& placement = b.placements[i];
        std::vector<std::byte> content;
        if (asset.piece_count() == 0) {
            REQUIRE(placement == PlacementRecord{0, 0});
        } else if (asset.piece_count() == 1) {
            REQUIRE(!of_pieces.contains(placement.first_block));
            const auto& block = raw.at(placement.first_block);
            REQUIRE(placement.offset + asset.raw_bytes <= block.size());
            REQUIRE(shared[placement.first_block].emplace(placement.offset, i).second);
            content.assign(block.begin() + placement.offset,
                           block.begin() + placement.offset + static_cast<std::ptrdiff_t>(asset.raw_bytes));
        } else {
            REQUIRE(placement.offset == 0);
            for (std::uint32_t k = 0; k < asset.piece_count(); ++k) {
                const auto& block = raw.at(placement.first_block + k);
                REQUIRE((block.size() == std::size_t{1} << asset.piece_log2 || k + 1 == asset.piece_count()));
                REQUIRE(blake3(block) == b.pieces[asset.piece_first + k]);
                content.insert(content.end(), block.begin(), block.end());
            }
        }
        REQUIRE(content.size() == asset.raw_bytes);
        REQUIRE(id_from<AssetId>(blake3(content)) == asset.id);
        b.contents.push_back(std::move(content));
    }
    // Shared blocks are filled without overlap, and each contains one content type.
    REQUIRE(shared.size() + of_pieces.size() == raw.size());
    for (const auto& [block, runs] : shared) {
        std::uint64_t at = 0;
        for (const auto& [offset, asset] : runs) {
            REQUIRE(offset == at);
            REQUIRE(b.assets[asset].content_type == b.assets[runs.begin()->second].content_type);
            at += b.assets[asset].raw_bytes;
        }
        REQUIRE(at == raw[block].size());
        REQUIRE((runs.size() == 1 || raw[block].size() <= 65536));
    }
}

}  // namespace

AuditedBundle audit(Records file) {
    AuditedBundle b;
    REQUIRE(file.size() >= 8192);
    HeadBytes head_bytes, layout_bytes;
    std::memcpy(head_bytes.data(), file.data(), 4096);
    std::memcpy(layout_bytes.data(), file.data() + 4096, 4096);
    b.head = decode_head(head_bytes).value();
    b.layout = decode_layout_head(layout_bytes).value();
    b.id = id_from<BundleId>(blake3(head_bytes));
    b.layout_id = id_from<LayoutId>(blake3(layout_bytes));
    require_good(verify_sections(b.head, b.id, b.layout, file.size()));
    REQUIRE(b.layout.blocks_offset == 8192);  // the reference writer's order
    REQUIRE(b.layout.manifest_offset == up(8192 + b.layout.blocks_bytes, 4096));
    REQUIRE(b.layout.layout_offset == up(b.layout.manifest_offset + b.head.manifest_bytes, 4096));
    REQUIRE(b.layout.trailer_offset == up(b.layout.layout_offset + b.layout.layout_bytes, 4096));
    const auto gap = [&](std::uint64_t from, std::uint64_t to) { REQUIRE(all_zero(file.subspan(from, to - from))); };
    gap(8192 + b.layout.blocks_bytes, b.layout.manifest_offset);
    gap(b.layout.manifest_offset + b.head.manifest_bytes, b.layout.layout_offset);
    gap(b.layout.layout_offset + b.layout.layout_bytes, b.layout.trailer_offset);

    using enum TableKind;
    const auto table = [&](TableKind kind) {
        return kind < placements
                   ? table_of(file.subspan(b.layout.manifest_offset, b.head.manifest_bytes), b.head.tables, kind)
                   : table_of(file.subspan(b.layout.layout_offset, b.layout.layout_bytes), b.layout.tables, kind);
    };
    b.strings = strings_of(table(strings));
    b.assets = records_of<AssetRecord>(table(assets), assets);
    b.names = records_of<NameRecord>(table(names), names);
    const Records piece_table = table(pieces);
    b.pieces.resize(piece_table.size() / 32);
    if (!piece_table.empty())
        std::memcpy(b.pieces.data(), piece_table.data(), piece_table.size());
    b.variants = records_of<VariantRecord>(table(variants), variants);
    b.tags = records_of<TagRecord>(table(tags), tags);
    b.references = records_of<ReferenceRecord>(table(references), references);
    b.foreign_assets = records_of<ForeignAssetRecord>(table(foreign_assets), foreign_assets);
    b.consumes = records_of<ConsumeRecord>(table(consumes), consumes);
    b.dependencies = records_of<DependencyRecord>(table(dependencies), dependencies);
    b.metadata = records_of<MetadataRecord>(table(metadata), metadata);
    b.creator_metadata = records_of<MetadataRecord>(table(creator_metadata), creator_metadata);
    b.placements = records_of<PlacementRecord>(table(placements), placements);
    b.blocks = records_of<BlockRecord>(table(blocks), blocks);

    REQUIRE(strictly_rising(b.assets, &AssetRecord::id));
    std::vector<std::uint64_t> ids;
    for (const AssetRecord& asset : b.assets)
        ids.push_back(leading(asset.id));
    check_asset_buckets(table(asset_buckets), ids);
    check_strings_used(b);
    check_names(b, records_of<NameBucketRecord>(table(name_buckets), name_buckets), table(name_filters));
    check_variants(b);
    check_links(b);
    check_runs(b);
    check_contents(b, file.subspan(8192, b.layout.blocks_bytes));
    return b;
}

const NameRecord& AuditedBundle::name(std::string_view wanted) const {
    const auto it = std::ranges::find_if(names, [&](const NameRecord& n) { return text(n.text) == wanted; });
    REQUIRE(it != names.end());
    return *it;
}

std::uint32_t AuditedBundle::asset_named(std::string_view wanted) const {
    const NameRecord& record = name(wanted);
    REQUIRE_FALSE(record.is(NameRecord::tombstone));
    return record.is(NameRecord::has_variants) ? variants[record.target].asset : record.target;
}

std::string AuditedBundle::content_named(std::string_view wanted) const {
    const auto& content = contents[asset_named(wanted)];
    return {reinterpret_cast<const char*>(content.data()), content.size()};
}

std::vector<std::string> AuditedBundle::metadata_of(std::uint32_t subject) const {
    std::vector<std::string> items;
    for (const MetadataRecord& m : metadata) {
        if (m.subject != subject)
            continue;
        std::string value;
        switch (m.kind) {
            case MetadataKind::text: value = text(static_cast<StringRef>(m.value)); break;
            case MetadataKind::number: value = std::to_string(std::bit_cast<double>(m.value)); break;
            case MetadataKind::integer: value = std::to_string(static_cast<std::int64_t>(m.value)); break;
            case MetadataKind::boolean: value = m.value != 0 ? "true" : "false"; break;
        }
        items.push_back(text(m.key) + "=" + value);
    }
    return items;
}

std::vector<std::string> AuditedBundle::references_of(std::uint32_t asset) const {
    std::vector<std::string> items;
    for (const ReferenceRecord& r :
         std::span(references).subspan(assets[asset].reference_first, assets[asset].reference_count)) {
        std::string target = text(r.kind == ReferenceKind::dynamic ? r.target : r.spelling);
        if (r.kind == ReferenceKind::internal)
            target = "#" + std::to_string(r.target);
        if (r.kind == ReferenceKind::foreign)
            target = "foreign " + std::to_string(r.target);
        items.push_back(text(r.spelling) + "->" + target + ((r.flags & ReferenceRecord::optional) != 0 ? "?" : ""));
    }
    return items;
}

}  // namespace fardel::tests
