#include <fardel/format/derived_tables.h>

#include "tables/buckets.h"
#include "tables/page_tree.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/name.h>
#include <fardel/format/name_buckets.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace fardel {
namespace {

constexpr std::size_t kAssetBytes = record_bytes(TableKind::assets);
constexpr std::size_t kNameBytes = record_bytes(TableKind::names);

using Records = std::vector<std::byte>;

Result<std::string_view> find_text(std::span<const std::byte> strings, std::uint64_t at) {
    if (fits(at, sizeof(std::uint16_t), strings.size())) {
        const auto* const begin = reinterpret_cast<const char*>(strings.data()) + at;
        const auto length = load_le<std::uint16_t>(begin);
        if (fits(at + sizeof length, length, strings.size()))
            return std::string_view(begin + sizeof length, length);
    }
    return Error(ErrorCode::malformed, "the text of a name is not there");
}

// Nothing, for a table that there is not.
Result<Records> read(const ByteSource& given, std::uint64_t section_offset, const TableEntry* entry) {
    Records records(entry ? static_cast<std::size_t>(entry->length_bytes) : 0);
    if (entry)
        FARDEL_TRY(given.read_at(section_offset + entry->offset, records));
    return records;
}

Result<Records> derive_asset_buckets(const Records& assets) {
    const auto key_of = [&](std::uint32_t i) {
        AssetId id;
        std::memcpy(id.bytes.data(), assets.data() + i * kAssetBytes, id.bytes.size());
        return leading_bits(id);
    };
    FARDEL_TRY_ASSIGN(const std::vector<std::uint32_t> starts,
                      bucket_starts(static_cast<std::uint32_t>(assets.size() / kAssetBytes), key_of));
    Records records;
    records.reserve(starts.size() * sizeof starts[0]);
    for (const std::uint32_t start : starts)
        append_le(records, start);
    return records;
}

template <class TextOf>
Result<std::vector<HashedName>> hash_names(std::size_t count, const TextOf& text_of,
                                           std::span<const std::byte> strings) {
    std::vector<HashedName> hashed;
    hashed.reserve(count);
    std::uint64_t texts_bytes = 0;
    for (std::size_t i = 0; i < count; ++i) {
        FARDEL_TRY_ASSIGN(const std::string_view text, find_text(strings, text_of(i)));
        // No two names have one text, so more than the table cannot be right, and hashing it would take long.
        if (texts_bytes += text.size(); texts_bytes > strings.size())
            return Error(ErrorCode::malformed, "names share their texts");
        hashed.push_back({name_hash(text), static_cast<std::uint32_t>(i)});
    }
    std::ranges::sort(hashed);
    return hashed;
}

struct NameTables {
    Records buckets;
    Records filters;
};

Result<NameTables> derive_name_tables(const Records& names, const Records& strings) {
    const auto text_of = [&](std::size_t name) { return load_le<StringRef>(names.data() + name * kNameBytes); };
    FARDEL_TRY_ASSIGN(const std::vector<HashedName> hashed, hash_names(names.size() / kNameBytes, text_of, strings));
    FARDEL_TRY_ASSIGN(std::vector<NameBucketRecord> buckets, fill_name_buckets(hashed));
    NameTables tables;
    tables.buckets.reserve(buckets.size() * record_bytes(TableKind::name_buckets));
    for (NameBucketRecord& bucket : buckets) {
        for (std::size_t slot = 0; slot < bucket.used; ++slot)
            bucket.texts[slot] = text_of(bucket.names[slot]);
        encode_record(bucket, tables.buckets);
    }
    for (const std::uint32_t filter : fill_name_filters(hashed))
        append_le(tables.filters, filter);
    return tables;
}

// Passes on the rest of a table after its records, and the records themselves if they were derived.
Status put(std::uint64_t section_offset, const TableEntry& entry, const Records& records,
           const FileBytesReceiver& receive) {
    if (records.size() != entry.length_bytes)
        return Error(ErrorCode::malformed, "the table " + std::string(table_name(entry.kind)) + " has " +
                                               std::to_string(entry.length_bytes) + " bytes; what it looks up needs " +
                                               std::to_string(records.size()));
    const std::uint64_t offset = section_offset + entry.offset;
    if (is_look_up_table(entry.kind))
        FARDEL_TRY(receive(offset, records));
    const PageTree tree = build_page_tree(entry.kind, records);
    std::vector<std::byte> rest(align_up(records.size(), kTableAlign) - records.size());
    rest.insert(rest.end(), tree.levels.begin(), tree.levels.end());
    return rest.empty() ? ok() : receive(offset + records.size(), rest);
}

}  // namespace

Status derive_tables(const BundleHead& head, const LayoutHead& layout, const ByteSource& given,
                     const FileBytesReceiver& receive) {
    const auto read_table = [&](TableKind kind) { return read(given, layout.manifest_offset, head.find(kind)); };
    std::optional<NameTables> of_names;
    const auto derive = [&](TableKind kind) -> Result<Records> {
        if (kind == TableKind::asset_buckets) {
            FARDEL_TRY_ASSIGN(const Records assets, read_table(TableKind::assets));
            return derive_asset_buckets(assets);
        }
        if (!of_names) {
            FARDEL_TRY_ASSIGN(const Records names, read_table(TableKind::names));
            FARDEL_TRY_ASSIGN(const Records strings, read_table(TableKind::strings));
            FARDEL_TRY_ASSIGN(of_names, derive_name_tables(names, strings));
        }
        return std::move(kind == TableKind::name_buckets ? of_names->buckets : of_names->filters);
    };
    for (const TableEntry& entry : head.tables) {
        FARDEL_TRY_ASSIGN(const Records records, is_look_up_table(entry.kind)
                                                     ? derive(entry.kind)
                                                     : read(given, layout.manifest_offset, &entry));
        FARDEL_TRY(put(layout.manifest_offset, entry, records, receive));
    }
    for (const TableEntry& entry : layout.tables) {
        FARDEL_TRY_ASSIGN(const Records records, read(given, layout.layout_offset, &entry));
        FARDEL_TRY(put(layout.layout_offset, entry, records, receive));
    }
    return ok();
}

}  // namespace fardel
