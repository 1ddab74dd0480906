#include "name_run.h"

#include <fardel/base/fits.h>
#include <fardel/base/little_endian.h>
#include <fardel/format/manifest.h>

#include <bit>
#include <cassert>

namespace fardel {
namespace {

// docs/bundle-format.md §4, name_buckets: the high halves of up to five hashes, and how many there are.
constexpr std::size_t kBucketBytes = 64;
constexpr std::size_t kUsedAt = 20;

Result<std::span<const std::byte>> read_buckets(const Bundle& bundle) {
    const std::uint64_t count = bundle.table_count(TableKind::name_buckets);
    if (count == 0)
        return std::span<const std::byte>();
    return bundle.table_bytes(TableKind::name_buckets, 0, count * kBucketBytes);
}

std::size_t used_slots(const std::byte* bucket) { return std::to_integer<std::size_t>(bucket[kUsedAt]); }

// Calls `visit` with the high half of each name's hash.
template <class Visit>
void for_each_hash(std::span<const std::byte> buckets, Visit&& visit) {
    for (std::size_t at = 0; at < buckets.size(); at += kBucketBytes)
        for (std::size_t slot = 0; slot < used_slots(&buckets[at]); ++slot)
            visit(load_le<std::uint32_t>(&buckets[at + 4 * slot]));
}

}  // namespace

bool NameRun::fits(const Bundle& bundle) {
    const std::uint64_t names = bundle.table_count(TableKind::names);
    if (names > kBundleNamesMax)
        return false;
    const auto buckets = read_buckets(bundle);
    if (!buckets)
        return false;
    std::size_t used = 0;
    for (std::size_t at = 0; at < buckets->size(); at += kBucketBytes) {
        if (used_slots(&(*buckets)[at]) > NameBucketRecord::kSlots)
            return false;
        used += used_slots(&(*buckets)[at]);
    }
    return used == names;
}

std::shared_ptr<const NameRun> NameRun::build(std::span<const Member> members) {
    auto run = std::make_shared<NameRun>();
    std::vector<std::span<const std::byte>> tables;
    std::size_t names = 0;
    for (const Member& member : members) {
        auto table = read_buckets(*member.bundle);
        assert(table);  // fits() has read it, and what was verified stays
        run->members_.push_back(member.content);
        tables.push_back(table ? *table : std::span<const std::byte>());
        names += in_memory(member.bundle->table_count(TableKind::names));
    }
    assert(members.size() <= kMembersMax && names <= kNamesMax);
    run->bits_ = names <= 4 ? 0 : static_cast<int>(std::bit_width((names + 3) / 4 - 1));

    // Counting sort: each bucket's size, then its end, then, while entries come in from the last, its start.
    auto& buckets = run->buckets_;
    buckets.resize((std::size_t{1} << run->bits_) + 1);
    run->entries_.resize(names);
    for (const auto table : tables)
        for_each_hash(table, [&](std::uint32_t hash) { ++buckets[run->bucket_of(hash)]; });
    for (std::size_t i = 1; i < buckets.size(); ++i)
        buckets[i] += buckets[i - 1];
    for (std::size_t member = 0; member < tables.size(); ++member)
        for_each_hash(tables[member], [&](std::uint32_t hash) {
            run->entries_[--buckets[run->bucket_of(hash)]] = {.fingerprint = static_cast<std::uint16_t>(hash),
                                                              .member = static_cast<std::uint16_t>(member)};
        });
    return run;
}

}  // namespace fardel
