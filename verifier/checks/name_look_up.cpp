#include "checks.h"

#include <fardel/base/fits.h>
#include <fardel/format/name.h>

#include <algorithm>
#include <string>

namespace fardel {
namespace {

void check_buckets(const CheckedTables& tables, std::span<const HashedName> names, VerifyFindings& findings) {
    constexpr TableKind kBuckets = TableKind::name_buckets;
    auto expected = fill_name_buckets(names);
    if (!expected) {
        findings.add(VerifierRule::bucket_crowded, std::string(table_name(kBuckets)), expected.error());
        return;
    }
    if (tables.count(kBuckets) != expected->size())
        findings.add(VerifierRule::bucket_wrong, std::string(table_name(kBuckets)),
                     "it has " + std::to_string(tables.count(kBuckets)) + " records, but these names need " +
                         std::to_string(expected->size()));
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(tables.count(kBuckets), expected->size()); ++i) {
        // There is one right table for given names, so the whole table is made again and compared.
        if (const auto found = tables.find<NameBucketRecord>(i); found && *found != (*expected)[in_memory(i)])
            findings.add(VerifierRule::bucket_wrong, kBuckets, i,
                         "it does not contain the names whose hashes lead to it");
    }
}

void check_filters(const CheckedTables& tables, std::span<const HashedName> names, VerifyFindings& findings) {
    const std::vector<std::uint32_t> expected = fill_name_filters(names);
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (const auto found = tables.find_number(TableKind::name_filters, i); found && *found != expected[i])
            findings.add(VerifierRule::bucket_wrong, TableKind::name_filters, i,
                         "it is not the filter of the hashes that lead to it");
}

}  // namespace

std::vector<HashedName> hash_names(const CheckedTables& tables, const BundleStrings& texts) {
    std::vector<HashedName> names;
    names.reserve(in_memory(tables.count(TableKind::names)));
    for (std::uint32_t i = 0; i < tables.count(TableKind::names); ++i)
        if (const auto text = texts.find_name(i))
            names.push_back({name_hash(*text), i, tables.find<NameRecord>(i)->text});
    std::ranges::sort(names);
    return names;
}

void check_name_look_up(const CheckedTables& tables, std::span<const HashedName> names, VerifyFindings& findings) {
    if (names.size() != tables.count(TableKind::names))
        return;  // unknown names are already findings, and without them the expected tables are unknown
    check_buckets(tables, names, findings);
    check_filters(tables, names, findings);
}

}  // namespace fardel
