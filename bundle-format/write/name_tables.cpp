#include "name_tables.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/manifest.h>

#include <algorithm>

namespace fardel {
namespace {

// Whether the name has one variant without tags.
bool is_plain(const PlannedName& name) {
    return name.variants.size() == 1 && name.variants.front().tags.empty() && !name.extends;
}

std::vector<TagRecord> tag_records(const PlannedVariant& variant, const StringTable& strings) {
    std::vector<TagRecord> records;
    for (const auto& [axis, value] : variant.tags)
        records.push_back({strings.ref(axis), strings.ref(value)});
    std::ranges::sort(records, {}, &TagRecord::axis);  // refs are in the order of the strings
    return records;
}

// The variants and tags of names, appended name by name.
struct VariantTables {
    std::vector<std::byte>& variants;
    std::vector<std::byte>& tags;
    std::uint32_t variant_count = 0;
    std::uint32_t tag_count = 0;

    void append(const PlannedName& planned, std::uint32_t name, const StoredContent& content,
                const StringTable& strings) {
        for (const PlannedVariant& variant : planned.variants) {
            const std::vector<TagRecord> records = tag_records(variant, strings);
            encode_record(VariantRecord{content.asset_of[variant.asset], name, records.empty() ? 0 : tag_count,
                                        static_cast<std::uint16_t>(records.size())},
                          variants);
            for (const TagRecord& record : records)
                encode_record(record, tags);
            ++variant_count;
            tag_count += static_cast<std::uint32_t>(records.size());
        }
    }
};

}  // namespace

void add_name_strings(std::span<const PlannedName> planned, const SortedNames& sorted, StringTable& strings) {
    for (const std::uint32_t index : sorted.by_text)
        strings.add(planned[index].name.view());
    for (const PlannedName& name : planned)
        for (const PlannedVariant& variant : name.variants)
            for (const auto& [axis, value] : variant.tags) {
                strings.add(axis);
                strings.add(value);
            }
}

NameTables build_name_tables(std::span<const PlannedName> planned, const SortedNames& sorted,
                             const StoredContent& content, const StringTable& strings) {
    NameTables tables;
    VariantTables variants{tables.variants, tables.tags};
    std::vector<StringRef> texts;
    texts.reserve(planned.size());
    tables.names.reserve(planned.size() * record_bytes(TableKind::names));
    for (const std::uint32_t index : sorted.by_text) {
        const PlannedName& name = planned[index];
        const auto position = static_cast<std::uint32_t>(texts.size());
        unsigned flags = name.published ? unsigned{NameRecord::published} : 0u;
        NameRecord record;
        record.text = strings.ref(name.name.view());
        if (name.variants.empty()) {
            flags |= NameRecord::tombstone;
        } else if (is_plain(name)) {
            record.target = content.asset_of[name.variants.front().asset];
        } else {
            flags |= NameRecord::has_variants | (name.extends ? unsigned{NameRecord::extends} : 0u);
            record.target = variants.variant_count;
            record.count = static_cast<std::uint16_t>(name.variants.size());
            variants.append(name, position, content, strings);
        }
        record.flags = static_cast<std::uint16_t>(flags);
        encode_record(record, tables.names);
        texts.push_back(record.text);
    }

    tables.name_buckets.reserve(sorted.buckets.size() * record_bytes(TableKind::name_buckets));
    for (NameBucketRecord bucket : sorted.buckets) {
        for (std::size_t i = 0; i < bucket.used; ++i)
            bucket.texts[i] = texts[bucket.names[i]];
        encode_record(bucket, tables.name_buckets);
    }
    for (const std::uint32_t filter : fill_name_filters(sorted.by_hash))
        append_le(tables.name_filters, filter);
    return tables;
}

}  // namespace fardel
