#include "name_tables.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/manifest.h>
#include <fardel/format/name_buckets.h>

#include <algorithm>
#include <functional>
#include <utility>

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

std::vector<std::byte> filter_bytes(std::span<const HashedName> by_hash) {
    std::vector<std::byte> bytes;
    for (const std::uint32_t filter : fill_name_filters(by_hash))
        append_le(bytes, filter);
    return bytes;
}

}  // namespace

void add_name_strings(std::span<const PlannedName> planned, std::span<const std::uint32_t> by_text,
                      StringTable& strings) {
    for (const std::uint32_t index : by_text)
        strings.add(planned[index].name.view());
    for (const PlannedName& name : planned)
        for (const PlannedVariant& variant : name.variants)
            for (const auto& [axis, value] : variant.tags) {
                strings.add(axis);
                strings.add(value);
            }
}

Status write_name_tables(std::span<const PlannedName> planned, std::span<const std::uint32_t> by_text,
                         const StoredContent& content, const StringTable& strings, TableSection& out) {
    std::vector<HashedName> by_hash;
    by_hash.reserve(planned.size());
    std::uint32_t variants = 0;
    FARDEL_TRY(out.write<NameRecord>(by_text, [&](std::uint32_t index) {
        const PlannedName& name = planned[index];
        unsigned flags = name.published ? unsigned{NameRecord::published} : 0u;
        NameRecord record;
        record.text = strings.ref(name.name.view());
        if (name.variants.empty()) {
            flags |= NameRecord::tombstone;
        } else if (is_plain(name)) {
            record.target = content.asset_of[name.variants.front().asset];
        } else {
            flags |= NameRecord::has_variants | (name.extends ? unsigned{NameRecord::extends} : 0u);
            record.count = static_cast<std::uint16_t>(name.variants.size());
            record.target = std::exchange(variants, variants + record.count);
        }
        record.flags = static_cast<std::uint16_t>(flags);
        by_hash.push_back({name_hash(name.name.view()), static_cast<std::uint32_t>(by_hash.size()), record.text});
        return record;
    }));

    std::ranges::sort(by_hash);
    FARDEL_TRY_ASSIGN(const std::uint64_t buckets, count_name_buckets(by_hash));
    NameBucketFill fill(by_hash);
    // They were counted without an error.
    FARDEL_TRY(out.write_each<NameBucketRecord>(buckets, [&] { return *fill.next(); }));
    return out.write_bytes(TableKind::name_filters, filter_bytes(by_hash));
}

Status write_variant_tables(std::span<const PlannedName> planned, std::span<const std::uint32_t> by_text,
                            const StoredContent& content, const StringTable& strings, TableSection& out) {
    std::vector<VariantRecord> variants;
    std::vector<TagRecord> tags;
    for (std::uint32_t position = 0; position < by_text.size(); ++position) {
        const PlannedName& name = planned[by_text[position]];
        if (is_plain(name))
            continue;
        for (const PlannedVariant& variant : name.variants) {
            const std::vector<TagRecord> of_variant = tag_records(variant, strings);
            variants.push_back({content.asset_of[variant.asset], position,
                                of_variant.empty() ? 0 : static_cast<std::uint32_t>(tags.size()),
                                static_cast<std::uint16_t>(of_variant.size())});
            tags.insert(tags.end(), of_variant.begin(), of_variant.end());
        }
    }
    FARDEL_TRY(out.write<VariantRecord>(variants, std::identity()));
    return out.write<TagRecord>(tags, std::identity());
}

}  // namespace fardel
