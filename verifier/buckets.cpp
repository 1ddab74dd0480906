#include "checks.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace fardel {
namespace {

// The leading bits of a key say its bucket; decode_head has checked that there are a power of two of them.
struct Buckets {
    TableKind kind;
    TableKind of;
    std::uint64_t count = 0;

    std::uint64_t bucket_of(std::uint64_t key) const noexcept {
        const int bits = std::countr_zero(count);
        return bits == 0 ? 0 : key >> (64 - bits);
    }
};

// `find_key(i)`: the key of record i of the table that is looked up, if it is known.
template <class FindKey>
void check_buckets(const Tables& tables, TableKind kind, TableKind of, const FindKey& find_key, Findings& findings) {
    const std::uint64_t records = tables.count(of);
    if (records == 0)
        return;
    const Buckets buckets{kind, of, tables.count(kind) - 1};

    std::vector<std::uint32_t> held(buckets.count);
    for (std::uint64_t i = 0; i < records; ++i) {
        const std::optional<std::uint64_t> key = find_key(i);
        if (!key)
            return;  // the numbers cannot be known
        ++held[buckets.bucket_of(*key)];
    }
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i <= buckets.count; ++i) {
        const auto found = tables.find_bucket(kind, i);
        if (found && *found != before)
            findings.add(Rule::bucket_wrong, record_place(kind, i),
                         "it says " + std::to_string(*found) + "; " + std::to_string(before) + " records of " +
                             std::string(table_name(of)) + " come before this bucket");
        if (i == buckets.count)
            break;
        if (held[i] > limits::kBucketRecordsMax)
            findings.add(Rule::bucket_crowded, record_place(kind, i),
                         std::to_string(held[i]) + " records of " + std::string(table_name(of)) +
                             " in one bucket, at most " + std::to_string(limits::kBucketRecordsMax) + " are allowed");
        before += held[i];
    }
}

// Of each bucket of names.
void check_filters(const Tables& tables, Findings& findings) {
    const std::uint64_t records = tables.count<NameBucketRecord>();
    if (records == 0)
        return;
    const Buckets buckets{TableKind::name_buckets, TableKind::name_index, records - 1};
    std::vector<std::uint32_t> filters(records);
    for (std::uint64_t i = 0; i < tables.count<NameIndexRecord>(); ++i) {
        const auto entry = tables.find<NameIndexRecord>(i);
        if (!entry)
            return;
        filters[buckets.bucket_of(entry->hash)] |= name_filter(entry->hash);
    }
    for (std::uint64_t i = 0; i < records; ++i)
        if (const auto found = tables.find<NameBucketRecord>(i); found && found->filter != filters[i])
            findings.add(Rule::bucket_wrong, record_place(TableKind::name_buckets, i),
                         "its filter is not that of the hashes in the bucket");
}

}  // namespace

void check_asset_buckets(const Tables& tables, Findings& findings) {
    const auto key = [&](std::uint64_t i) -> std::optional<std::uint64_t> {
        const auto asset = tables.find<AssetRecord>(i);
        if (!asset)
            return std::nullopt;
        std::uint64_t leading = 0;
        for (int byte = 0; byte < 8; ++byte)
            leading = leading << 8 | asset->id.bytes[static_cast<std::size_t>(byte)];
        return leading;
    };
    check_buckets(tables, TableKind::asset_buckets, TableKind::assets, key, findings);
}

void check_name_buckets(const Tables& tables, Findings& findings) {
    const auto key = [&](std::uint64_t i) -> std::optional<std::uint64_t> {
        const auto entry = tables.find<NameIndexRecord>(i);
        return entry ? std::optional(entry->hash) : std::nullopt;
    };
    check_buckets(tables, TableKind::name_buckets, TableKind::name_index, key, findings);
    check_filters(tables, findings);
}

}  // namespace fardel
