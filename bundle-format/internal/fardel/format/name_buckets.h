// The hash table that finds names, docs/bundle-format.md §5: buckets of one cache line, and filters that rule
// out most names that are absent.
#pragma once

#include <fardel/format/manifest.h>

#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace fardel {

// A name by the hash of its text; in order as the names lie in the buckets.
struct HashedName {
    std::uint64_t hash = 0;  // name_hash of the text
    std::uint32_t name = 0;  // record of the names table
    friend auto operator<=>(const HashedName&, const HashedName&) = default;
};

// Buckets to which hashes lead. Behind them the table has as many more as the last ones spill into.
constexpr std::uint64_t home_buckets(std::uint64_t names) noexcept { return (2 * names + 6) / 7; }

// The bucket to which a hash leads, of `homes` < 2^32. Rises with the hash.
constexpr std::uint64_t home_bucket(std::uint64_t hash, std::uint64_t homes) noexcept {
    return (hash >> 32) * homes >> 32;
}

// Of these names, which are in order, each once; the texts are left 0.
// Error: limit (a name would lie more than kNameSpillMax behind its bucket; never by accident, only for names chosen
// for it).
Result<std::vector<NameBucketRecord>> fill_name_buckets(std::span<const HashedName> names);

// The filters, in words: 2^b of them, the smallest b with names ≤ 4 × 2^b; none for no names.
constexpr std::uint64_t filter_words(std::uint64_t names) noexcept {
    return names == 0 ? 0 : std::bit_ceil((names + 3) / 4);
}
// The word of a hash: its b leading bits.
constexpr std::uint64_t filter_word(std::uint64_t hash, std::uint64_t words) noexcept {
    return (hash >> 1) >> (63 - std::countr_zero(words));  // in two steps: there may be one word
}
// The bits that a hash sets in its word. Where one is missing, no name has the hash.
constexpr std::uint32_t filter_bits(std::uint64_t hash) noexcept {
    return std::uint32_t{1} << (hash & 31) | std::uint32_t{1} << (hash >> 5 & 31);
}
std::vector<std::uint32_t> fill_name_filters(std::span<const HashedName> names);

}  // namespace fardel
