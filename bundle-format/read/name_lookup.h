// Finds a name in the tables of an open bundle: first its filter, then its bucket, then its text.
#pragma once

#include "bundle_tables.h"
#include "names/ascii_word.h"
#include "vectors/byte_vector.h"

#include <fardel/base/little_endian.h>
#include <fardel/format/limits.h>
#include <fardel/format/name.h>
#include <fardel/format/name_buckets.h>

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fardel {

// The parts of an open bundle that a look-up needs, side by side: they fill two cache lines, whereas the tables
// themselves fill many.
struct NamePages {
    VerifiedPages filters;
    VerifiedPages buckets;
    VerifiedPages strings;
    VerifiedPages names;
    std::uint64_t homes = 0;  // home_buckets(name_count)
    std::uint32_t name_count = 0;

    explicit NamePages(const BundleTables& tables) noexcept;
    NamePages() = default;
};

struct NameQuery {
    std::string_view name;
    std::uint64_t hash = 0;  // name_hash(name)
    CaseRule rule = CaseRule::exact;
};

// The answer that verified bytes give for the exact spelling. It is unsure also if something is wrong.
struct NamePeek {
    enum class Answer : std::uint8_t { found, absent, unsure } answer = Answer::unsure;
    std::uint32_t name = 0;
};

namespace name_lookup {

// Offsets in a name_buckets record, docs/bundle-format.md §4.
inline constexpr std::uint64_t kBucketBytes = 64;
inline constexpr std::size_t kUsedAt = 20;
inline constexpr std::size_t kSpillsAt = 21;
inline constexpr std::size_t kTextsAt = 24;
inline constexpr std::size_t kNamesAt = 44;

// Whether a name_filters record admits the hash.
inline bool lets_through(const std::byte* filter, std::uint64_t hash) noexcept {
    const std::uint32_t bits = filter_bits(hash);
    return (load_le<std::uint32_t>(filter) & bits) == bits;
}

// Returns the slots that have this hash, as bits.
inline std::uint32_t slots_with_portable(const std::byte* bucket, std::uint32_t hash) noexcept {
    std::uint32_t slots = 0;
    for (std::uint32_t i = 0; i < NameBucketRecord::kSlots; ++i)
        slots |= std::uint32_t{load_le<std::uint32_t>(bucket + 4 * i) == hash} << i;
    return slots;
}

inline std::uint32_t slots_with(const std::byte* bucket, std::uint32_t hash) noexcept {
#ifdef FARDEL_BYTE_VECTOR
    static_assert(NameBucketRecord::kSlots == 5);
    const auto equal = [&](std::size_t at) { return ByteVector::load(bucket + at).quarters_equal(hash); };
    return equal(0) | (equal(16) & 1) << 4;  // without a branch, since the slot cannot be predicted
#else
    return slots_with_portable(bucket, hash);
#endif
}

}  // namespace name_lookup

// Prefetches what peek_name() reads first.
inline void prefetch_name(const NamePages& pages, std::uint64_t hash) noexcept {
    if (pages.name_count == 0)
        return;
    pages.filters.prefetch_record<4>(filter_word(hash, pages.filters.length_bytes() / 4));
    pages.buckets.prefetch_record<name_lookup::kBucketBytes>(home_bucket(hash, pages.homes));
}

// Look-ups wait for memory, several at once if the processor looks far enough ahead. So this function uses no Result,
// and as few instructions as possible.
inline NamePeek peek_name(const NamePages& pages, const NameQuery& query) {
    using namespace name_lookup;
    constexpr NamePeek kAbsent{.answer = NamePeek::Answer::absent};
    if (pages.name_count == 0 || query.name.size() > limits::kNameBytesMax)
        return kAbsent;

    const std::byte* const filter =
        pages.filters.peek_record<4>(filter_word(query.hash, pages.filters.length_bytes() / 4));
    if (!filter)
        return {};
    if (!lets_through(filter, query.hash))
        return kAbsent;

    const std::uint64_t home = home_bucket(query.hash, pages.homes);
    for (std::uint64_t at = home;;) {
        const std::byte* const bucket = pages.buckets.peek_record<kBucketBytes>(at);
        if (!bucket)
            return {};
        if (const std::uint32_t slots = slots_with(bucket, static_cast<std::uint32_t>(query.hash >> 32)); slots != 0) {
            const auto slot = static_cast<std::uint32_t>(std::countr_zero(slots));
            const auto number = load_le<std::uint32_t>(bucket + kNamesAt + 4 * slot);
            if (slot >= static_cast<std::uint32_t>(bucket[kUsedAt]) || number >= pages.name_count)
                return {};
            pages.names.prefetch_record<16>(number);
            const auto bytes = static_cast<std::uint32_t>(query.name.size());
            const std::byte* const text =
                pages.strings.peek_short(load_le<std::uint32_t>(bucket + kTextsAt + 4 * slot), 2 + bytes);
            if (!text || load_le<std::uint16_t>(text) != bytes)
                return {};
            if (!is_equal(reinterpret_cast<const char*>(text + 2), query.name.data(), bytes))
                return {};
            return {.answer = NamePeek::Answer::found, .name = number};
        }
        if (bucket[kSpillsAt] == std::byte{0})
            return kAbsent;
        if (++at - home > limits::kNameSpillMax || at * kBucketBytes == pages.buckets.length_bytes())
            return {};
    }
}

// Returns the final answer, and reads whatever pages it needs. Errors: malformed, corrupt, io.
Result<std::optional<NameIndex>> read_name(const BundleTables& tables, const NameQuery& query);

}  // namespace fardel
