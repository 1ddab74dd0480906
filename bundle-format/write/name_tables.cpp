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

// Appends the variants of a name, and their tags.
void add_variants(const PlannedName& planned, std::uint32_t name, const StoredContent& content,
                  const StringTable& strings, TableBytes& tables) {
    for (const PlannedVariant& variant : planned.variants) {
        const std::vector<TagRecord> tags = tag_records(variant, strings);
        tables.add(VariantRecord{content.asset_of[variant.asset], name, tags.empty() ? 0 : tables.count<TagRecord>(),
                                 static_cast<std::uint16_t>(tags.size())});
        for (const TagRecord& tag : tags)
            tables.add(tag);
    }
}

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

void build_name_tables(std::span<const PlannedName> planned, const SortedNames& sorted, const StoredContent& content,
                       const StringTable& strings, TableBytes& tables) {
    std::vector<StringRef> texts;
    texts.reserve(planned.size());
    tables.reserve<NameRecord>(planned.size());
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
            record.target = tables.count<VariantRecord>();
            record.count = static_cast<std::uint16_t>(name.variants.size());
            add_variants(name, position, content, strings, tables);
        }
        record.flags = static_cast<std::uint16_t>(flags);
        tables.add(record);
        texts.push_back(record.text);
    }

    tables.reserve<NameBucketRecord>(sorted.buckets.size());
    for (NameBucketRecord bucket : sorted.buckets) {
        for (std::size_t i = 0; i < bucket.used; ++i)
            bucket.texts[i] = texts[bucket.names[i]];
        tables.add(bucket);
    }
    for (const std::uint32_t filter : fill_name_filters(sorted.by_hash))
        append_le(tables[TableKind::name_filters], filter);
}

}  // namespace fardel
