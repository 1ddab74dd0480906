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

// A name with the hash of its text. The operators order names as they lie in the buckets.
struct HashedName {
    std::uint64_t hash = 0;  // name_hash of the text
    std::uint32_t name = 0;  // record of the names table
    StringRef text = 0;      // for the bucket; decides nothing
    friend auto operator<=>(const HashedName&, const HashedName&) = default;
};

// Returns the number of home buckets: those that hashes lead to. The table has more buckets behind them if the last
// ones spill.
constexpr std::uint64_t home_buckets(std::uint64_t names) noexcept { return (2 * names + 6) / 7; }

// Returns the home bucket of a hash; `homes` < 2^32. A greater hash never has a smaller bucket.
constexpr std::uint64_t home_bucket(std::uint64_t hash, std::uint64_t homes) noexcept {
    return (hash >> 32) * homes >> 32;
}

// Fills the buckets of names one after the other: those of a million names have 18 MB.
class NameBucketFill {
public:
    // `names` are sorted and distinct.
    explicit NameBucketFill(std::span<const HashedName> names) noexcept
        : names_(names), homes_(home_buckets(names.size())) {}
    bool at_end() const noexcept { return bucket_ >= homes_ && placed_ == names_.size(); }
    // Not at_end(). Returns the next bucket. Error: limit (a name would lie more than
    // kNameSpillMax buckets behind its home; this happens only with names chosen for it).
    Result<NameBucketRecord> next();

private:
    std::span<const HashedName> names_;
    std::uint64_t homes_;
    std::uint64_t bucket_ = 0;
    std::size_t placed_ = 0;  // the first names
};
// How many there are; error: that of next().
Result<std::uint64_t> count_name_buckets(std::span<const HashedName> names);
// All of them.
Result<std::vector<NameBucketRecord>> fill_name_buckets(std::span<const HashedName> names);

// Returns the number of filter words: 2^b with the smallest b for which names ≤ 4 × 2^b; 0 if there are no names.
constexpr std::uint64_t filter_words(std::uint64_t names) noexcept {
    return names == 0 ? 0 : std::bit_ceil((names + 3) / 4);
}
// Returns the index of a hash's word: the leading b bits of the hash.
constexpr std::uint64_t filter_word(std::uint64_t hash, std::uint64_t words) noexcept {
    return (hash >> 1) >>
           (63 - std::countr_zero(words));  // two shifts, because a shift by 64 (for one word) is undefined
}
// Returns the bits that a hash sets in its word. If one of them is missing, no name has the hash.
constexpr std::uint32_t filter_bits(std::uint64_t hash) noexcept {
    return std::uint32_t{1} << (hash & 31) | std::uint32_t{1} << (hash >> 5 & 31);
}
std::vector<std::uint32_t> fill_name_filters(std::span<const HashedName> names);

}  // namespace fardel
