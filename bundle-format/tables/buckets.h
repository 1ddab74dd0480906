// The bucket table of assets, docs/bundle-format.md §5: how many assets come before each bucket of leading bits.
#pragma once

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/base/result.h>
#include <fardel/format/ids.h>
#include <fardel/format/limits.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace fardel {

inline constexpr std::uint64_t kAssetsPerBucket = 2;

// Returns the first 64 bits of an id, whose first byte is the most significant.
inline std::uint64_t leading_bits(const AssetId& id) noexcept {
    std::uint64_t bits;
    std::memcpy(&bits, id.bytes.data(), sizeof bits);
    return std::endian::native == std::endian::little ? swap_bytes(bits) : bits;
}

// Returns the smallest number of bits with count ≤ kAssetsPerBucket × 2^bits.
constexpr int bucket_bits(std::uint64_t count) noexcept {
    int bits = 0;
    while (count > kAssetsPerBucket << bits)
        ++bits;
    return bits;
}

// Returns the bucket of an id with these leading bits; `buckets` is a power of two.
constexpr std::uint64_t bucket_of(std::uint64_t leading, std::uint64_t buckets) noexcept {
    return (leading >> 1) >>
           (63 - std::countr_zero(buckets));  // two shifts, because a shift by 64 (for one bucket) is undefined
}

// Returns the first record of each bucket and, last, `count`; empty if there are no records. `key_of(i)` returns the 64
// leading bits of record i, in ascending order. Error: limit (more than kBucketRecordsMax records in one bucket; this
// happens only with keys chosen for it).
template <class KeyOf>
Result<std::vector<std::uint32_t>> bucket_starts(std::uint32_t count, KeyOf key_of) {
    std::vector<std::uint32_t> starts;
    if (count == 0)
        return starts;
    const std::uint64_t buckets = std::uint64_t{1} << bucket_bits(count);
    starts.reserve(in_memory(buckets + 1));
    starts.push_back(0);
    for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
        const std::uint32_t first = starts.back();
        std::uint32_t end = first;
        while (end < count && bucket_of(key_of(end), buckets) == bucket)
            ++end;
        if (end - first > limits::kBucketRecordsMax)
            return Error(ErrorCode::limit, std::to_string(end - first) +
                                               " assets in one bucket of the look-up table; at most " +
                                               std::to_string(limits::kBucketRecordsMax));
        starts.push_back(end);
    }
    return starts;
}

}  // namespace fardel
