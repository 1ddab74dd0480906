// Draft → bytes: records, page trees, sections and heads, in the order of the reference writer.
#include "bundle_forge.h"

#include <fardel/format/hash.h>
#include <fardel/format/head.h>
#include <fardel/format/manifest.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace fardel::forge {
namespace {

constexpr std::size_t kPage = 4096;

std::size_t align_up(std::size_t value, std::size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

void append(Bytes& out, std::span<const std::byte> bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }

void put_number(Bytes& out, std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i)
        out.push_back(static_cast<std::byte>(value >> 8 * i & 0xff));
}

Bytes hash_bytes(const Hash& hash) {
    const auto bytes = std::as_bytes(std::span(hash.bytes));
    return {bytes.begin(), bytes.end()};
}

struct TableOfBytes {
    TableKind kind;
    Bytes records;
};

template <class Record>
Bytes encoded(const std::vector<Record>& records) {
    Bytes out;
    for (const Record& record : records) {
        if constexpr (std::is_same_v<Record, std::uint32_t>)
            put_number(out, record, 4);
        else if constexpr (std::is_same_v<Record, Hash>)
            append(out, hash_bytes(record));
        else
            encode_record(record, out);
    }
    return out;
}

struct Section {
    Bytes bytes;
    std::vector<TableEntry> entries;
};

// Empty tables are left out.
Section make_section(std::vector<TableOfBytes> tables, const Draft& draft) {
    Section section;
    std::vector<Bytes> bodies;
    for (auto& [kind, records] : tables) {
        if (draft.edit_table)
            draft.edit_table(kind, records);
        if (records.empty())
            continue;
        TableEntry entry;
        entry.kind = kind;
        entry.record_bytes = record_bytes(kind);
        entry.length_bytes = records.size();
        entry.count = records.size() / entry.record_bytes;
        auto [root, levels] = page_tree(kind, records);
        entry.root = root;
        section.entries.push_back(entry);
        records.resize(align_up(records.size(), 64));
        append(records, levels);
        bodies.push_back(std::move(records));
    }
    place_tables(section.entries);
    for (const Bytes& body : bodies)
        append(section.bytes, body);
    return section;
}

Section make_manifest(const Draft& d) {
    using enum TableKind;
    return make_section({{strings, d.strings},
                         {assets, encoded(d.assets)},
                         {asset_buckets, encoded(d.asset_buckets)},
                         {names, encoded(d.names)},
                         {name_buckets, encoded(d.name_buckets)},
                         {name_filters, encoded(d.name_filters)},
                         {pieces, encoded(d.pieces)},
                         {variants, encoded(d.variants)},
                         {tags, encoded(d.tags)},
                         {references, encoded(d.references)},
                         {foreign_assets, encoded(d.foreign_assets)},
                         {consumes, encoded(d.consumes)},
                         {dependencies, encoded(d.dependencies)},
                         {metadata, encoded(d.metadata)},
                         {creator_metadata, encoded(d.creator_metadata)}},
                        d);
}

}  // namespace

std::pair<Hash, Bytes> page_tree(TableKind kind, std::span<const std::byte> records) {
    Bytes levels;
    Bytes below(records.begin(), records.end());
    for (std::uint32_t level = 0;; ++level) {
        Bytes above;
        Hash last;
        for (std::size_t at = 0, index = 0; at < below.size(); at += kPage, ++index) {
            Bytes key = bytes_of("FARDELPG");
            put_number(key, static_cast<std::uint32_t>(kind), 4);
            put_number(key, level, 4);
            put_number(key, index, 8);
            put_number(key, records.size(), 8);
            const auto page = std::span(below).subspan(at, std::min(kPage, below.size() - at));
            last = blake3_keyed(std::span<const std::byte, 32>(key.data(), 32), page);
            append(above, hash_bytes(last));
        }
        if (below.size() <= kPage)
            return {last, levels};
        append(levels, above);
        levels.resize(align_up(levels.size(), 64));
        below = std::move(above);
    }
}

ForgedBundle forge(const Draft& draft) {
    ForgedBundle bundle;
    Section manifest = make_manifest(draft);
    Section layout = make_section(
        {{TableKind::placements, encoded(draft.placements)}, {TableKind::blocks, encoded(draft.blocks)}}, draft);

    bundle.head.tables = std::move(manifest.entries);
    bundle.head.manifest_bytes = manifest.bytes.size();
    if (draft.edit_head)
        draft.edit_head(bundle.head);
    const HeadBytes head_bytes = encode_head(bundle.head);
    bundle.id = bundle_id(head_bytes);

    Bytes& out = bundle.bytes;
    out.resize(2 * limits::kHeadBytes);
    LayoutHead& head = bundle.layout_head;
    const auto append_section = [&](std::span<const std::byte> bytes) {
        out.resize(align_up(out.size(), kPage));
        const std::uint64_t at = out.size();
        append(out, bytes);
        return at;
    };
    head.bundle = bundle.id;
    head.codecs = draft.codecs;
    head.tables = std::move(layout.entries);
    head.blocks_bytes = draft.block_section.size();
    head.layout_bytes = layout.bytes.size();
    head.blocks_offset = append_section(draft.block_section);
    head.manifest_offset = append_section(manifest.bytes);
    head.layout_offset = append_section(layout.bytes);
    head.trailer_offset = append_section({});
    if (draft.edit_layout_head)
        draft.edit_layout_head(head);
    const HeadBytes layout_head_bytes = encode_layout_head(head);
    bundle.layout_id = layout_id(layout_head_bytes);
    std::ranges::copy(head_bytes, out.begin());
    std::ranges::copy(layout_head_bytes, out.begin() + limits::kHeadBytes);

    for (const AssetRecord& asset : draft.assets)
        bundle.raw_bytes += asset.raw_bytes;
    for (const BlockRecord& block : draft.blocks)
        bundle.stored_bytes += block.stored_bytes;
    return bundle;
}

ForgedBundle forge(const Recipe& recipe) { return forge(draft(recipe)); }

// RFC 8878: magic, a single segment with its content size, then RLE blocks of at most 128 KiB.
Bytes rle_frame(std::byte value, std::size_t size) {
    Bytes frame;
    put_number(frame, 0xfd2fb528, 4);
    if (size < 256) {
        put_number(frame, 0x20, 1);
        put_number(frame, size, 1);
    } else if (size < 65536 + 256) {
        put_number(frame, 0x60, 1);
        put_number(frame, size - 256, 2);
    } else {
        put_number(frame, 0xa0, 1);
        put_number(frame, size, 4);
    }
    constexpr std::size_t kBlockMax = 128 * 1024;
    while (size > 0) {
        const std::size_t now = std::min(size, kBlockMax);
        size -= now;
        put_number(frame, (size == 0 ? 1u : 0u) | 1u << 1 | now << 3, 3);
        frame.push_back(value);
    }
    return frame;
}

}  // namespace fardel::forge
