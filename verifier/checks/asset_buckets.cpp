#include "checks.h"

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

void check_asset_buckets(const Tables& tables, Findings& findings) {
    constexpr TableKind kBuckets = TableKind::asset_buckets;
    const std::uint64_t assets = tables.count<AssetRecord>();
    if (assets == 0)
        return;
    const std::uint64_t buckets = tables.count(kBuckets) - 1;  // a power of two: decode_head checked it
    std::vector<std::uint32_t> held(buckets);
    for (std::uint64_t i = 0; i < assets; ++i) {
        const auto asset = tables.find<AssetRecord>(i);
        if (!asset)
            return;  // the numbers cannot be known
        ++held[(leading_bits(asset->id) >> 1) >> (63 - std::countr_zero(buckets))];
    }
    std::uint64_t before = 0;
    for (std::uint64_t i = 0; i <= buckets; ++i) {
        const auto found = tables.find_number(kBuckets, i);
        if (found && *found != before)
            findings.add(Rule::bucket_wrong, record_place(kBuckets, i),
                         "it says " + std::to_string(*found) + "; " + std::to_string(before) +
                             " assets come before this bucket");
        if (i == buckets)
            break;
        if (held[i] > limits::kBucketRecordsMax)
            findings.add(Rule::bucket_crowded, record_place(kBuckets, i),
                         std::to_string(held[i]) + " assets in one bucket, at most " +
                             std::to_string(limits::kBucketRecordsMax) + " are allowed");
        before += held[i];
    }
}

}  // namespace fardel
