#include "checks.h"

#include <fardel/base/fits.h>
#include <fardel/format/head.h>

#include <bit>
#include <vector>

namespace fardel {
namespace {

std::uint64_t leading_bits(const AssetId& id) {
    std::uint64_t leading = 0;
    for (std::size_t i = 0; i < 8; ++i)
        leading = leading << 8 | id.bytes[i];
    return leading;
}

}  // namespace

void check_asset_buckets(const CheckedTables& tables, VerifyFindings& findings) {
    constexpr TableKind kBuckets = TableKind::asset_buckets;
    const std::uint64_t assets = tables.count(TableKind::assets);
    if (assets == 0)
        return;
    const std::uint64_t buckets = tables.count(kBuckets) - 1;  // a power of two, as decode_head() has checked
    std::vector<std::uint32_t> assets_in_bucket(in_memory(buckets));
    for (std::uint64_t i = 0; i < assets; ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        if (!asset)
            return;  // without all ids, the expected table is unknown
        ++assets_in_bucket[in_memory((leading_bits(asset->id) >> 1) >> (63 - std::countr_zero(buckets)))];
    }
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i <= buckets; ++i) {
        const auto found = tables.find_number(kBuckets, i);
        if (found && *found != before)
            findings.add(VerifierRule::bucket_wrong, kBuckets, i,
                         "it is " + std::to_string(*found) + ", but " + std::to_string(before) +
                             " assets come before this bucket");
        if (i == buckets)
            break;
        const std::uint32_t here = assets_in_bucket[in_memory(i)];
        if (here > limits::kBucketRecordsMax)
            findings.add(VerifierRule::bucket_crowded, kBuckets, i,
                         std::to_string(here) + " assets in one bucket; at most " +
                             std::to_string(limits::kBucketRecordsMax) + " are allowed");
        before += here;
    }
}

}  // namespace fardel
