#include "checks.h"

#include <algorithm>
#include <string>

namespace fardel {
namespace {

void check_buckets(const Tables& tables, std::span<const HashedName> names, Findings& findings) {
    constexpr TableKind kBuckets = TableKind::name_buckets;
    auto expected = fill_name_buckets(names);
    if (!expected) {
        findings.add(Rule::bucket_crowded, std::string(table_name(kBuckets)), expected.error());
        return;
    }
    if (tables.count(kBuckets) != expected->size())
        findings.add(Rule::bucket_wrong, std::string(table_name(kBuckets)),
                     "it has " + std::to_string(tables.count(kBuckets)) + " records; these names fill " +
                         std::to_string(expected->size()));
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(tables.count(kBuckets), expected->size()); ++i) {
        NameBucketRecord& bucket = (*expected)[i];
        for (std::size_t slot = 0; slot < bucket.used; ++slot)
            bucket.texts[slot] = tables.find<NameRecord>(bucket.names[slot])->text;
        if (const auto found = tables.find<NameBucketRecord>(i); found && *found != bucket)
            findings.add(Rule::bucket_wrong, record_place(kBuckets, i),
                         "it does not hold the names whose hashes lead to it");
    }
}

void check_filters(const Tables& tables, std::span<const HashedName> names, Findings& findings) {
    const std::vector<std::uint32_t> expected = fill_name_filters(names);
    for (std::uint64_t i = 0; i < expected.size(); ++i)
        if (const auto found = tables.find_number(TableKind::name_filters, i); found && *found != expected[i])
            findings.add(Rule::bucket_wrong, record_place(TableKind::name_filters, i),
                         "it is not the filter of the hashes that lead to it");
}

}  // namespace

void check_name_look_up(const Tables& tables, std::span<const HashedName> names, Findings& findings) {
    if (names.size() != tables.count<NameRecord>())
        return;  // what is not known is a finding already; the tables cannot be told without it
    check_buckets(tables, names, findings);
    check_filters(tables, names, findings);
}

}  // namespace fardel
