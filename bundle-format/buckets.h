// The bucket tables of docs/bundle-format.md §5: how many sorted records come before each bucket of leading bits.
#pragma once

#include "bytes.h"

#include <fardel/format/ids.h>
#include <fardel/format/limits.h>
#include <fardel/format/result.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kAssetsPerBucket = 2;
inline constexpr std::uint64_t kNamesPerBucket = 4;

// The 64 leading bits of an id, whose first byte is the highest.
inline std::uint64_t leading_bits(const AssetId& id) noexcept {
    std::uint64_t bits;
    std::memcpy(&bits, id.bytes.data(), sizeof bits);
    return std::endian::native == std::endian::little ? swap_bytes(bits) : bits;
}

// The smallest number of bits with count ≤ per_bucket × 2^bits.
constexpr int bucket_bits(std::uint64_t count, std::uint64_t per_bucket) noexcept {
    int bits = 0;
    while (count > per_bucket << bits)
        ++bits;
    return bits;
}

// `key_of(i)`: the 64 leading bits of record i; rising with i. The table's bytes; empty for no records.
// Error: limit (more than kBucketRecordsMax records in one bucket; no accident, somebody searched for such keys).
template <class KeyOf>
Result<std::vector<std::byte>> build_buckets(std::uint32_t count, std::uint64_t per_bucket, KeyOf key_of) {
    std::vector<std::byte> table;
    if (count == 0)
        return table;
    const int bits = bucket_bits(count, per_bucket);
    const std::uint64_t buckets = std::uint64_t{1} << bits;
    table.reserve((buckets + 1) * sizeof(std::uint32_t));
    const auto bucket_of = [&](std::uint32_t i) { return bits == 0 ? 0 : key_of(i) >> (64 - bits); };
    append_le(table, std::uint32_t{0});
    for (std::uint64_t bucket = 0, first = 0; bucket < buckets; ++bucket) {
        auto end = static_cast<std::uint32_t>(first);
        while (end < count && bucket_of(end) == bucket)
            ++end;
        if (end - first > limits::kBucketRecordsMax)
            return Error(ErrorCode::limit, std::to_string(end - first) + " records in one bucket of a look-up table; at most " +
                                               std::to_string(limits::kBucketRecordsMax));
        append_le(table, end);
        first = end;
    }
    return table;
}

}  // namespace fardel
